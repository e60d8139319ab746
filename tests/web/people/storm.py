"""Many attempts at once, inside of the app's own process: ``app.ask("from tests.web.people.storm import ...")``."""

import threading
from collections import Counter

from django.db import connection
from django.test import RequestFactory

from peerorder.web.errors import TooManyRequests
from peerorder.web.people import throttling


def attempts_at_once(count: int) -> dict:
    """Reserve so many attempts for one account at the same moment; return how many passed."""
    everybody_is_there = threading.Barrier(count)
    got, strange = Counter(), []

    def attempt() -> None:
        request = RequestFactory().post("/login/", REMOTE_ADDR="192.0.2.7")
        everybody_is_there.wait(30)
        try:
            throttling.reserve_log_in(request, "ida")
            got["passed"] += 1
        except TooManyRequests:
            got["throttled"] += 1
        except BaseException as error:
            strange.append(repr(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=attempt) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return {"passed": got["passed"], "throttled": got["throttled"], "strange": strange}
