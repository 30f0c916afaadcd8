"""A worker for Waybill, in Python and with nothing but its standard library.

    WAYBILL_URL=http://127.0.0.1:7420 WAYBILL_TOKEN=wb_... WAYBILL_QUEUES=words python3 http-worker.py

It asks a server for work and waits until there is some, does it, says every so often that it is still at it, and reports
what came of it. Told to end (SIGTERM, Ctrl-C), it takes nothing more, lets what runs come to its end, and gives back
what does not. `do_step` is where the work is; all the rest is the protocol, which docs/http.md explains.
"""

import json
import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request

URL = os.environ.get("WAYBILL_URL", "http://127.0.0.1:7420").rstrip("/")
TOKEN = os.environ.get("WAYBILL_TOKEN", "")
QUEUES = os.environ.get("WAYBILL_QUEUES", "words").split(",")
NAME = os.environ.get("WAYBILL_WORKER", f"{socket.gethostname()}-{os.getpid()}")
MOST_AT_ONCE = int(os.environ.get("WAYBILL_CONCURRENCY", "4"))
GRACE_SECONDS = float(os.environ.get("WAYBILL_GRACE", "10"))

WAIT_MS = 30_000
ANSWER_SECONDS = 10
RESULT_TRIES = 20
LONGEST_PAUSE_SECONDS = 30
DEFAULT_LEASE_MS = 60_000


class Failed(Exception):
    """The step failed, and says whether another try is worth it."""

    def __init__(self, code, message, retryable):
        super().__init__(message)
        self.code = code
        self.retryable = retryable


class Stopped(Exception):
    """Nobody wants the step done any longer, or not by this worker."""


class Refused(Exception):
    """The server says no, and will say so again."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail')} {problem.get('next', '')}")
        self.status = status


# --- the work -------------------------------------------------------------------------------------------------------


def do_step(directive, stop):
    """Returns the output of the step. `stop` is set when it is not to go on."""
    payload = directive["payload"]
    if "text" not in payload:
        raise Failed("NO_TEXT", "There is no text to count the words of", retryable=False)
    if directive["attempt_no"] <= payload.get("fails", 0):
        raise Failed("FLAKY", f"Attempt {directive['attempt_no']} was to fail", retryable=True)
    if directive["attempt_no"] <= payload.get("slow", 0) and stop.wait(payload.get("seconds", 60)):
        raise Stopped()
    return {"words": len(payload["text"].split()), "worker": NAME}


# --- what is said to the server -------------------------------------------------------------------------------------


def post(path, body, timeout):
    """One try. The answer, or `Refused`, or an OSError when another try may help."""
    request = urllib.request.Request(f"{URL}{path}", data=json.dumps(body).encode(), method="POST")
    request.add_header("content-type", "application/json")
    if TOKEN:
        request.add_header("authorization", f"Bearer {TOKEN}")
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            problem = json.loads(error.read() or b"{}")
        if error.code < 500 and error.code != 429:
            raise Refused(error.code, problem) from None
        raise OSError(f"{error.code} {problem.get('code')}") from None


def pause_after(failures):
    return min(LONGEST_PAUSE_SECONDS, 0.1 * 2**failures)


class Attempt:
    """One attempt at a step: its work in one thread, and its heartbeats in another."""

    def __init__(self, directive):
        self.directive = directive
        self.fence = {name: directive[name] for name in ("tenant_id", "jobId", "stepId", "attempt_no", "lease_id")}
        self.stop = threading.Event()
        self.is_ours = True
        self.is_over = threading.Event()
        self.lease_seconds = (directive["lease_ms"] or DEFAULT_LEASE_MS) / 1000

    def run(self):
        heart = threading.Thread(target=self.beat, daemon=True)
        heart.start()
        try:
            said = self.work()
        finally:
            self.is_over.set()
        heart.join()
        if self.is_ours:
            self.report(said)

    def work(self):
        try:
            return {"status": "SUCCEEDED", "output": do_step(self.directive, self.stop)}
        except Failed as error:
            failure_class = "RETRYABLE" if error.retryable else "NON_RETRYABLE"
            return {
                "status": "FAILED",
                "failure_class": failure_class,
                "error": {"code": error.code, "message": str(error)},
            }
        except Stopped:
            return {"status": "RELEASED", "reason": "The worker was told to stop"}
        except Exception as error:  # a mistake in the work is no reason for the worker to end
            told = {"code": type(error).__name__, "message": str(error)}
            return {"status": "FAILED", "failure_class": "RETRYABLE", "error": told}

    def beat(self):
        """Three times in each lease: one may be lost, and the next still comes in time."""
        while not self.is_over.wait(self.lease_seconds / 3):
            try:
                answer = post("/v1/callbacks/heartbeat", self.fence, ANSWER_SECONDS)
            except Refused as error:
                # Somebody else has it, or it is gone: whatever this attempt comes to, nobody wants to know.
                tell(f"lost {self.name}: {error}")
                self.is_ours = False
                self.stop.set()
                return
            except OSError as error:
                tell(f"no heartbeat for {self.name}: {error}")
                continue
            if answer["cancel"]:
                tell(f"cancelled {self.name}")
                self.stop.set()

    def report(self, said):
        """As often as it takes: said twice, it counts once."""
        for failures in range(RESULT_TRIES):
            try:
                answer = post("/v1/callbacks/result", {**self.fence, **said}, ANSWER_SECONDS)
                tell(f"{said['status']} {self.name}: {answer['status']}")
                return
            except Refused as error:
                tell(f"{said['status']} {self.name} is not taken: {error}")
                return
            except OSError as error:
                tell(f"no answer about {self.name}: {error}")
                time.sleep(pause_after(failures))

    @property
    def name(self):
        return f"{self.fence['jobId']}/{self.fence['stepId']} attempt {self.fence['attempt_no']}"


# --- the worker -----------------------------------------------------------------------------------------------------


class Ending(BaseException):
    """Breaks off the wait for work; not an error that anybody could take for one of the connection."""


class Worker:
    def __init__(self):
        self.running = set()
        self.changed = threading.Condition()
        self.is_ending = False
        self.is_waiting = False

    def end(self, *_):
        self.is_ending = True
        if self.is_waiting:
            raise Ending()

    def run(self):
        signal.signal(signal.SIGTERM, self.end)
        signal.signal(signal.SIGINT, self.end)
        tell(f"{NAME} takes work of {', '.join(QUEUES)} from {URL}")
        failures = 0
        while not self.is_ending:
            try:
                self.take()
                failures = 0
            except Ending:
                break
            except OSError as error:
                tell(f"no work: {error}")
                self.rest(pause_after(failures))
                failures += 1
        self.finish()

    def take(self):
        free = self.wait_for(lambda: MOST_AT_ONCE - len(self.running))
        if free <= 0:
            return
        asked = {"queues": QUEUES, "limit": free, "wait_ms": WAIT_MS, "worker": NAME}
        for directive in self.breakable(lambda: post("/v1/work/claim", asked, WAIT_MS / 1000 + ANSWER_SECONDS)["work"]):
            attempt = Attempt(directive)
            tell(f"began {attempt.name}")
            with self.changed:
                self.running.add(attempt)
            threading.Thread(target=self.attempt, args=(attempt,), daemon=True).start()

    def attempt(self, attempt):
        try:
            attempt.run()
        finally:
            with self.changed:
                self.running.discard(attempt)
                self.changed.notify_all()

    def breakable(self, call):
        """Calls, unless the worker is to end; the answer is nothing then. The server notices that nobody waits."""
        answer = []
        try:
            self.is_waiting = True
            if not self.is_ending:
                answer = call()
        except Ending:
            pass
        finally:
            self.is_waiting = False
        return answer

    def rest(self, seconds):
        self.breakable(lambda: [time.sleep(seconds)])

    def wait_for(self, number):
        """A number that is more than 0, or 0 when the worker is to end."""
        with self.changed:
            while number() <= 0 and not self.is_ending:
                self.changed.wait(0.2)
            return 0 if self.is_ending else number()

    def finish(self):
        """What runs has some time to come to its end; then it is told to stop, and given back."""
        tell("ending")
        with self.changed:
            self.changed.wait_for(lambda: not self.running, GRACE_SECONDS)
            for attempt in self.running:
                attempt.stop.set()
            self.changed.wait_for(lambda: not self.running, GRACE_SECONDS)
        tell("ended")


def tell(text):
    print(text, flush=True)


if __name__ == "__main__":
    try:
        Worker().run()
    except Refused as refused:
        sys.exit(str(refused))
