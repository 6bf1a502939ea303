"""Notes made by rule, for scale: near duplicates that differ in their slots, as a memory of years has them.

Deterministic for a seed. No text is taken from any data set.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from .tasks import Asked, Corpus, Unit

ADJECTIVES = "amber brisk calm dusty eager faint gentle hollow icy jolly keen lunar mellow noble oaken proud quiet rapid silver tidy urban vivid windy young zesty".split()  # noqa: E501, SIM905
NOUNS = "anchor badger cedar delta ember falcon garnet heron island juniper kettle lantern meadow nectar otter pepper quartz raven summit thistle umbrella valley walnut yarrow zephyr".split()  # noqa: E501, SIM905
PEOPLE = "Aiko Bastian Chiara Dmitri Elif Farid Greta Hamza Ingrid Jonas Katya Leandro Mei Nils Oksana Pavel Quentin Rosa Sanjay Tomasz Ulla Viktor Wanda Ximena Yusuf Zoe".split()  # noqa: E501, SIM905
PLACES = "Aarhus Bilbao Cork Dresden Espoo Ghent Haifa Innsbruck Jena Krakow Leeds Malmo Nantes Oslo Porto Riga Split Turin Utrecht Varna".split()  # noqa: E501, SIM905
TECH = "Redis Kafka RabbitMQ MariaDB ClickHouse Vault Consul Envoy Traefik Ceph Airflow Keycloak Loki Tempo Argo Flink Memcached Varnish HAProxy Nomad".split()  # noqa: E501, SIM905
SYMPTOMS = (
    "hangs after a restart", "answers twice", "drops the first packet", "returns stale rows",
    "eats all file handles", "logs nothing at night", "rejects long names", "forgets its lease",
    "times out on Mondays", "sorts dates wrongly",
    "loses the last byte", "doubles every total",
)  # fmt: skip
FIXES = (
    "Raise the keepalive to {n} seconds", "Pin the client to version {n}", "Cut the batch to {n} rows",
    "Set the worker count to {n}", "Wait {n} seconds before the retry", "Cap the buffer at {n} MB",
    "Move the job to minute {n}", "Trim the queue at {n} entries",
)  # fmt: skip
# (type, title, description, body, question)
FACTS = (
    ("project", "{svc} listens on port {n}", "Network detail of {svc}",
     "The {svc} service is reachable in {place} on {n}; {tech} sits in front of it.",
     "on which port does {svc} answer"),
    ("project", "{svc} stores its data in {tech}", "Storage choice for {svc}",
     "{who} chose {tech} in {place} after a trial of {n} days.", "which store did we pick for {svc}"),
    ("lesson", "Known issue: {svc} {sym}", "Fault and workaround",
     "Seen in {place}. {fix}. {who} keeps watching it.", "what helps when {svc} {sym}"),
    ("reference", "Owner of {svc}", "Contact",
     "{who} looks after {svc}; the deputy sits in {place}. Room {n}.", "whom do I ask about {svc}"),
    ("feedback", "Do not restart {svc} by hand", "Operations rule",
     "{who} lost {n} jobs that way. Use the runbook for {tech}.", "may I bounce {svc} manually"),
    ("user", "{who} wants reports about {svc} on day {n}", "Reporting habit",
     "Send the summary for {svc} to {place}, no attachments.", "when is the {svc} report due"),
    ("project", "{svc} läuft auf Knoten {n}", "Betriebsdetail zu {svc}",
     "Der Dienst steht in {place} hinter {tech}; zuständig ist {who}.", "auf welcher Maschine läuft {svc}"),
    ("reference", "Ansprechpartner für {svc}", "Kontakt",
     "{who} in {place} betreut {svc}, Durchwahl {n}.", "wer kümmert sich um {svc}"),
    ("project", "{svc} 使用 {tech} 存储", "{svc} 的存储选择",
     "由 {who} 在 {place} 部署，保留 {n} 天的数据。", "{svc} 的数据存在哪里"),
    ("feedback", "不要手动重启 {svc}", "运维规则",
     "上次在 {place} 丢失了 {n} 个任务，请联系 {who}。", "{svc} 可以手动重启吗"),
)  # fmt: skip


def facts(count: int, seed: int = 7) -> Iterator[tuple[Unit, str]]:
    """*count* different notes, each with a question that only it answers."""
    rnd = random.Random(seed)
    seen: set[tuple[str, str, str]] = set()
    while len(seen) < count:
        kind, title, description, body, question = rnd.choice(FACTS)
        service = f"{rnd.choice(ADJECTIVES)}-{rnd.choice(NOUNS)}"
        if count > 3000 or rnd.random() < 0.5:
            service += f"-{rnd.randrange(2, max(60, count // 100))}"
        number = rnd.randrange(3, 9000)
        slots = {
            "svc": service, "n": number, "who": rnd.choice(PEOPLE), "place": rnd.choice(PLACES),
            "tech": rnd.choice(TECH), "sym": rnd.choice(SYMPTOMS), "fix": rnd.choice(FIXES).format(n=number),
        }  # fmt: skip
        key = (title, service, str(slots["sym"]) if "{sym}" in title else "")
        if key in seen:
            continue
        date = f"2026-{len(seen) % 11 + 1:02d}-{len(seen) % 28 + 1:02d}"
        name = f"g{len(seen):06d}"
        seen.add(key)
        made = (part.format(**slots) for part in (body, title, description))
        yield Unit(name, *made, kind, date), question.format(**slots)


def distractors(count: int) -> list[Unit]:
    return [unit for unit, _ in facts(count)]


def slots(count: int, asked: int = 200) -> Corpus:
    """Questions among near duplicates: only one note has the right slots."""
    pairs = list(facts(count))
    chosen = random.Random(8).sample(pairs, asked)
    questions = [Asked(question, frozenset([unit.id]), "slot") for unit, question in chosen]
    return Corpus("slots", [unit for unit, _ in pairs], questions)
