"""The plugin manifests of both hosts. The version has one home, the package."""

from __future__ import annotations

from typing import Any

from .. import __version__

DESCRIPTION = "A memory made of files: notes in git, recalled for each prompt, distilled every few turns"
AUTHOR = "The memory-skill engineers"
KEYWORDS = ["memory", "notes", "git", "recall"]


def claude_plugin() -> dict[str, Any]:
    """`.claude-plugin/plugin.json`, in the repository and in the installed skill folder alike."""
    return _common() | {"skills": ["./"], "commands": "./templates/commands/"}


def kimi_repository() -> dict[str, Any]:
    """`kimi.plugin.json` at the root of the repository: the skill itself opens each session."""
    return _common() | {
        "skills": "./",
        "commands": "./templates/commands/",
        "sessionStart": {"skill": "memory-skill"},
    }


def kimi_installed(session_skill: str) -> dict[str, Any]:
    """`kimi.plugin.json` of the folder that `install` makes."""
    return _common() | {
        "skills": "./skills/",
        "commands": "./commands/",
        "sessionStart": {"skill": session_skill},
    }


def _common() -> dict[str, Any]:
    return {
        "name": "memory-skill",
        "version": __version__,
        "description": DESCRIPTION,
        "author": {"name": AUTHOR},
        "license": "MIT",
        "keywords": KEYWORDS,
    }
