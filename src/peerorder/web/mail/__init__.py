"""Mails: queued with the change that causes them, sent by the worker."""
