"""The hosts: one module each behind `base.Host`."""
