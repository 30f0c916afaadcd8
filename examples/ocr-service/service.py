"""An OCR service for Waybill, in Python and with nothing but its standard library.

    WAYBILL_SECRET=whsec_... PORT=8080 python3 service.py

It takes directives at any path, does each attempt once, and calls back. `read_pages` is where the work would be; all
the rest is the protocol, which docs/services.md explains.
"""

import base64
import hashlib
import hmac
import json
import os
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WAYBILL_SECRET"]
CALLBACK_SECRET = os.environ.get("WAYBILL_CALLBACK_SECRET", SECRET)
PORT = int(os.environ.get("PORT", "8080"))

WINDOW_SECONDS = 5 * 60
MAX_BYTES = 1024 * 1024
MOST_AT_ONCE = 10
MOST_REMEMBERED = 10_000
TIMEOUT_SECONDS = 10
ACK_TRIES = 5
RESULT_TRIES = 20
SECONDS_PER_PAGE = 0.001


class NonRetryable(Exception):
    """Trying again would not help."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Lost(Exception):
    """Somebody else has the step, or nobody: there is nothing more to say about it."""


# --- the work -------------------------------------------------------------------------------------------------------


def read_pages(directive, stop):
    """Returns the output of the step. `stop` is set when nobody wants it any longer."""
    source = directive["input_ref"]
    uri = source if isinstance(source, str) else source["uri"]
    if not uri.endswith(".pdf"):
        raise NonRetryable("UNREADABLE", f"{uri} is not a PDF")
    first, last = (int(page) for page in directive["payload"].get("page_range", "1-3").split("-"))
    for _page in range(first, last + 1):
        if stop.wait(SECONDS_PER_PAGE):
            raise RuntimeError("told to stop")
    return {"uri": uri, "pages": last - first + 1}


# --- signatures: Standard Webhooks ----------------------------------------------------------------------------------


def key_of(secret):
    prefix = "whsec_"
    return base64.b64decode(secret[len(prefix) :]) if secret.startswith(prefix) else secret.encode()


def signature_of(secret, message_id, timestamp, body):
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key_of(secret), signed, hashlib.sha256).digest()).decode()


def is_from_the_ledger(headers, body):
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > WINDOW_SECONDS:
        return False
    wanted = signature_of(SECRET, headers.get("webhook-id", ""), timestamp, body).encode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(wanted, one.encode()) for one in given)


# --- callbacks ------------------------------------------------------------------------------------------------------


def say(directive, name, more=None, tries=1):
    """Tells the ledger, again and again until it answers. Returns the answer, and how many tries it took."""
    about = {field: directive[field] for field in ("tenant_id", "jobId", "stepId", "attempt_no", "lease_id")}
    body = json.dumps({**about, **(more or {})}).encode()
    message_id = str(uuid.uuid4())
    for tried in range(1, tries + 1):
        timestamp = str(int(time.time()))
        headers = {
            "content-type": "application/json",
            "webhook-id": message_id,
            "webhook-timestamp": timestamp,
            "webhook-signature": signature_of(CALLBACK_SECRET, message_id, timestamp, body),
        }
        request = urllib.request.Request(directive["callback_urls"][name], body, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                return json.load(answer), tried
        except urllib.error.HTTPError as error:
            if error.code in (404, 409):
                raise Lost() from error
            if error.code < 500 and error.code not in (401, 403, 408, 425, 429):
                raise
        except OSError:
            pass
        if tried < tries:
            time.sleep(min(0.5 * 2 ** (tried - 1), 30))
    raise ConnectionError(f"the ledger did not answer {tries} times")


class Heartbeats(threading.Thread):
    """Says that the step is still worked on, and hears whether to stop."""

    def __init__(self, directive, lease_ms, stop):
        super().__init__(daemon=True)
        self.directive, self.stop, self.over, self.lost = directive, stop, threading.Event(), False
        self.wait_seconds = min((lease_ms or 180_000) / 3000, 60)

    def run(self):
        while not self.over.wait(self.wait_seconds):
            try:
                answer, _ = say(self.directive, "heartbeat")
                if answer["cancel"]:
                    self.stop.set()
            except Lost:
                self.lost = True
                self.stop.set()
                return
            except Exception as error:  # the next one may get through
                print(f"no heartbeat: {error}", flush=True)


def attempt(directive):
    answer, tried = say(directive, "ack", tries=ACK_TRIES)
    # Known already at the first try: another instance has it.
    if answer["status"] == "ignored" and (tried == 1 or answer["cancel"]):
        return
    stop = threading.Event()
    heartbeats = Heartbeats(directive, answer.get("lease_ms"), stop)
    heartbeats.start()
    try:
        result = {"status": "SUCCEEDED", "output": read_pages(directive, stop)}
    except Exception as error:
        failure_class = "NON_RETRYABLE" if isinstance(error, NonRetryable) else "RETRYABLE"
        code = "CANCELLED" if stop.is_set() else getattr(error, "code", type(error).__name__)
        result = {
            "status": "FAILED",
            "failure_class": failure_class,
            "error": {"code": code, "message": str(error)},
        }
    heartbeats.over.set()
    if not heartbeats.lost:
        say(directive, "result", result, tries=RESULT_TRIES)


# --- directives -----------------------------------------------------------------------------------------------------

known = OrderedDict()
lock = threading.Lock()
free = threading.Semaphore(MOST_AT_ONCE)


def work(directive):
    try:
        attempt(directive)
    except Lost:
        pass
    except Exception as error:
        print(f"attempt given up: {error}", flush=True)
    finally:
        free.release()


def take(directive):
    """Takes a directive once, however often it comes. Returns the status of the answer, and the answer."""
    key = tuple(directive[field] for field in ("tenant_id", "jobId", "stepId", "attempt_no", "lease_id"))
    with lock:
        if key in known:
            return 202, {"status": "duplicate"}
        if not free.acquire(blocking=False):
            return 503, {"status": "busy"}
        known[key] = True
        while len(known) > MOST_REMEMBERED:
            known.popitem(last=False)
    threading.Thread(target=work, args=(directive,), daemon=True).start()
    return 202, {"status": "accepted"}


class Directives(BaseHTTPRequestHandler):
    timeout = TIMEOUT_SECONDS

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BYTES:
            return self.answer(413, {"status": "too long, or of unknown length"})
        body = self.rfile.read(int(length))
        if not is_from_the_ledger(self.headers, body):
            return self.answer(401, {"status": "not signed by the ledger"})
        try:
            directive = json.loads(body)
            status, said = take(directive) if directive["step_type"] == "OCR" else (422, {"status": "not OCR"})
        except (KeyError, TypeError, ValueError) as error:
            status, said = 400, {"status": f"not a directive: {error!r}"}
        return self.answer(status, said)

    def answer(self, status, said):
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Directives)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
