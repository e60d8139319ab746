"""The web app: from a roster to rankings in the browser. Apps by domain; the library does all the thinking.

An app has models, ``services`` that own the transactions, and thin views. Who may do what is decided in one place,
``access``.

What thinks (``peerorder.schemes``, ``theory``, ``studies``, ``files``) is loaded by the functions that call it, not by
modules: a process that only takes rankings then starts more than twice as fast, and stays small.
"""
