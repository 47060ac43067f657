"""Batches in Anthropic's and in Google's own protocol.

One by one these models are asked through Inspect. Its batches live as long as the process does,
so a run that is stopped would pay twice; so we speak to these endpoints ourselves (decision 25).
A request in a batch is the one that Inspect sends, and an answer is read as Inspect reads it.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from epc.engine.asking import TransientError
from epc.engine.batch_protocols import (
    Batching,
    Failure,
    OpenAIBatching,
    Order,
    Standing,
    UndecidedError,
    batch_failure,
    said_by,
    unknown,
)
from epc.engine.hosted import Hosted
from epc.engine.inspected import Inspected
from epc.engine.model import Completion, Model
from epc.engine.secrets import redact
from epc.engine.transport import Transport
from epc.errors import UsageError
from epc.protocol.config import Decoding
from epc.protocol.results import Json
from epc.records.replies import counted, named
from epc.records.usage import NO_CHOICE

_PAGE: Final = 100
_Parsed = dict[Any, Any]  # an object of JSON, as a pattern leaves it


class _Native(Batching):
    """A model that is asked one by one through Inspect."""

    def require_decoding(self, decoding: Decoding) -> None:
        """Refuse a level of reasoning: how each model is told of it is Inspect's to know.

        Raises: UsageError.
        """
        if decoding.reasoning not in (None, "none"):
            raise UsageError(
                f"--batch cannot ask {self.model.identity.model} to reason "
                f"({decoding.reasoning}): leave one of them out"
            )


class AnthropicBatching(_Native):
    """The requests in the order itself; the answers as a file, each under our name for it.

    An order has no place for a mark, so it stands behind each name.

    Source: "Create a Message Batch", "Retrieve a Message Batch" and "Retrieve Message Batch
    results" of Anthropic's API reference.
    """

    most_requests, most_bytes = 100_000, 256_000_000
    versions: ClassVar = {"anthropic-version": "2023-06-01"}
    _PATH = "/v1/messages/batches"
    _STOPS: Final = {
        "end_turn": "stop",
        "stop_sequence": "stop",
        "tool_use": "tool_calls",
        "max_tokens": "max_tokens",
        "refusal": "content_filter",
    }
    _STATUSES: Final = {  # as its page on errors pairs them
        "invalid_request_error": 400,
        "authentication_error": 401,
        "billing_error": 402,
        "permission_error": 403,
        "not_found_error": 404,
        "request_too_large": 413,
        "rate_limit_error": 429,
        "api_error": 500,
        "timeout_error": 504,
        "overloaded_error": 529,
    }

    def request(self, name: str, text: str, decoding: Decoding) -> Json:
        """Return one of the order's `requests`."""
        params = _stated(
            model=self.model.identity.version,
            max_tokens=decoding.max_tokens,
            messages=[{"role": "user", "content": text}],
            temperature=decoding.temperature,
            top_p=decoding.top_p,
            stop_sequences=list(decoding.stop) or None,
        )
        return {"custom_id": name, "params": params}

    async def place(self, order: Order) -> str:
        """Order a batch, our mark behind each name."""
        marked = [
            {**each, "custom_id": f"{self.name_of(each)}-{order.mark}"} for each in order.requests
        ]
        return await self._named("POST", self._PATH, content={"requests": marked})

    async def find(self, order: Order) -> str | None:
        """Return the batch of so many requests whose lines carry the mark."""
        async for batch in self._pages(f"{self._PATH}?limit={_PAGE}"):
            match batch:
                case {"id": str(batch_id), "request_counts": dict(counts), **more}:
                    if sum(counts.values()) != order.count:
                        continue
                    if more.get("processing_status") != "ended":
                        message = f"batch {batch_id} may be this run's: it tells when it ends"
                        raise UndecidedError(message)
                    lines = await self._file(f"{self._PATH}/{batch_id}/results")
                    if any(f"-{order.mark}" in str(line) for line in lines):
                        return batch_id
        return None

    @staticmethod
    def _page(page: Any) -> tuple[list[Json], str]:
        match page:
            case {"data": list(batches), "has_more": True, "last_id": str(last)}:
                return batches, f"&after_id={last}"
            case {"data": list(batches)}:
                return batches, ""
        raise ValueError(page)

    async def standing(self, batch: str) -> Standing:
        """Return how far it is."""
        match reply := await self._object("GET", f"{self._PATH}/{batch}"):
            case {"processing_status": "in_progress" | "canceling" | "ended" as status, **more}:
                counts = more.get("request_counts")
                known = counts if isinstance(counts, dict) else {}
                return Standing(
                    batch=batch,
                    status=status,
                    ended=status == "ended",
                    done=sum(known[kind] for kind in known if kind != "processing"),
                    unanswered=Failure(reason="no line came back"),
                    said=reply,
                )
        raise unknown(batch, reply, "processing_status")

    async def lines(self, standing: Standing) -> Iterable[Any]:
        """Return the lines of its results."""
        return await self._file(f"{self._PATH}/{standing.batch}/results")

    def name_of(self, line: Json) -> str:
        """Return the `custom_id` without the mark."""
        return super().name_of(line).partition("-")[0]

    def answer(self, line: Json) -> Completion:
        """Return the message of a line that succeeded."""
        match line:
            case {"result": {"type": "succeeded", "message": {"content": list(parts), **message}}}:
                return self._completion(parts, message)
            case {"result": {"type": "errored", "error": {"error": {"type": kind, **error}}}}:
                status = self._STATUSES.get(kind, 500)
                body = json.dumps({"error": {"type": kind, **error}}).encode()
                return self.model.refused(status, body, {}, retries=0)
            case {"result": {"type": str(kind)}}:
                raise TransientError(f"the request was {kind}")
        raise TransientError("the line holds no answer")

    def _completion(self, parts: list[Any], message: _Parsed) -> Completion:
        match message:
            case {"stop_reason": str(stop), "model": model, "usage": dict(usage)}:
                return Completion(
                    text=_joined(parts, "text"),
                    served_model=named(model),
                    finish_reason=self._STOPS.get(stop, "unknown"),
                    tokens_in=counted(usage.get("input_tokens")),
                    tokens_out=counted(usage.get("output_tokens")),
                    reasoning=redact(_joined(parts, "thinking")),
                    reply=_kept({"content": parts, **message}),
                )
        raise TransientError("the line holds no answer", billed=True)


class GoogleBatching(_Native):
    """The requests in the order itself, which is listed under our mark as its display name.

    Source: ai.google.dev, "Batch API" (reference and guide): `batchGenerateContent`, inline.
    """

    most_requests, most_bytes = 50_000, 20_000_000
    _key = "name"
    _UNDER_WAY = ("pending", "running")
    _ENDED = ("succeeded", "failed", "cancelled", "expired")
    _WITHHELD: Final = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII")
    # What google.rpc's codes are in HTTP. What was cancelled or aborted may be asked again.
    _STATUSES: Final = {
        3: 400,
        5: 404,
        7: 403,
        8: 429,
        9: 400,
        11: 400,
        12: 400,
        16: 401,
        1: 503,
        2: 500,
        4: 504,
        10: 503,
        13: 500,
        14: 503,
    }
    _SAFETY: Final = (
        "HARM_CATEGORY_CIVIC_INTEGRITY",
        "HARM_CATEGORY_DANGEROUS_CONTENT",
        "HARM_CATEGORY_HARASSMENT",
        "HARM_CATEGORY_HATE_SPEECH",
        "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    )

    def request(self, name: str, text: str, decoding: Decoding) -> Json:
        """Return one of the order's `requests`, under its `key`."""
        request = {
            "contents": [{"parts": [{"text": text}], "role": "user"}],
            "safetySettings": [
                {"category": category, "threshold": "BLOCK_NONE"} for category in self._SAFETY
            ],
            "generationConfig": _stated(
                maxOutputTokens=decoding.max_tokens,
                temperature=decoding.temperature,
                topP=decoding.top_p,
                stopSequences=list(decoding.stop) or None,
                thinkingConfig=self._thinking(),
            ),
        }
        return {"request": request, "metadata": {"key": name}}

    async def place(self, order: Order) -> str:
        """Order a batch under our mark."""
        inline = {"requests": {"requests": list(order.requests)}}
        content = {"batch": {"display_name": order.mark, "input_config": inline}}
        path = f"/v1beta/models/{self.model.identity.version}:batchGenerateContent"
        return await self._named("POST", path, content=content)

    async def find(self, order: Order) -> str | None:
        """Return the batch that is listed under the mark."""
        async for operation in self._pages(f"/v1beta/batches?pageSize={_PAGE}"):
            match operation:
                case {"name": str(batch), "metadata": {"displayName": order.mark}}:
                    return batch
        return None

    @staticmethod
    def _page(page: Any) -> tuple[list[Json], str]:
        match page:
            case {"operations": list(batches), "nextPageToken": str(token)}:
                return batches, f"&pageToken={token}"
            case {"operations": list(batches)}:
                return batches, ""
            case dict() if not page:  # no batch at all
                return [], ""
        raise ValueError(page)

    async def standing(self, batch: str) -> Standing:
        """Return how far it is."""
        match reply := await self._object("GET", f"/v1beta/{batch}"):
            case {"metadata": {"state": str(state), **more}, **rest}:
                status = state.partition("_STATE_")[2].lower()
                if status in (*self._UNDER_WAY, *self._ENDED):
                    return Standing(
                        batch=batch,
                        status=status,
                        ended=status in self._ENDED,
                        done=_worked_on(more),
                        unanswered=self._unanswered(status, rest),
                        said=reply,
                    )
        raise unknown(batch, reply, "metadata")

    async def lines(self, standing: Standing) -> Iterable[Any]:
        """Return the inlined responses, or the lines of the file that they were written to."""
        match standing.said:
            case {"response": {"responsesFile": str(file)}} | {
                "metadata": {"output": {"responsesFile": str(file)}}
            }:
                return await self._file(f"/download/v1beta/{file}:download?alt=media")
            case {"response": {"inlinedResponses": {"inlinedResponses": list(lines)}}} | {
                "metadata": {"output": {"inlinedResponses": {"inlinedResponses": list(lines)}}}
            }:
                return lines
        return ()

    def name_of(self, line: Json) -> str:
        """Return the `key`."""
        match line:
            case {"key": str(name)} | {"metadata": {"key": str(name)}}:
                return name
        raise ValueError(line)

    def answer(self, line: Json) -> Completion:
        """Return the candidate of a line's response."""
        match line:
            case {"error": {"code": code, **error}}:
                body = json.dumps({"error": {"code": code, **error}}).encode()
                return self.model.refused(self._STATUSES.get(code, 500), body, {}, retries=0)
            case {
                "response": {"candidates": [{"finishReason": str(reason), **said}, *_]} as response
            }:
                return self._completion(reason, said, response)
            case {"response": {"promptFeedback": {"blockReason": str()}} as response}:
                return self._completion("SAFETY", {}, response)
            case {"response": {"candidates": [] | None} as response}:
                return self._completion(NO_CHOICE, {}, response)
        raise TransientError("the line holds no answer", billed=True)

    def _completion(self, reason: str, candidate: _Parsed, response: _Parsed) -> Completion:
        parts: list[Any] = []
        match candidate:
            case {"content": {"parts": list(parts)}}:
                pass
        usage: Json = response.get("usageMetadata") or {}
        written, thoughts = (
            counted(usage.get(key)) or 0 for key in ("candidatesTokenCount", "thoughtsTokenCount")
        )
        return Completion(
            text=_joined((part for part in parts if not part.get("thought")), "text"),
            served_model=named(response.get("modelVersion")),
            finish_reason=self._stop(reason),
            tokens_in=counted(usage.get("promptTokenCount")),
            tokens_out=written + thoughts if usage else None,
            reasoning=redact(_joined((part for part in parts if part.get("thought")), "text")),
            reasoning_tokens=thoughts or None,
            reply=_kept(response),
        )

    def _thinking(self) -> Json | None:
        """Return what switches thinking off where a model can be told that (EPC-2.6(d))."""
        model = self.model.identity.version or ""
        if not model.startswith("gemini-") or model.startswith(("gemini-1.5", "gemini-2.0")):
            return None
        if "pro" in model:
            return {"include_thoughts": True}
        return {"include_thoughts": False, "thinking_budget": 0}

    def _stop(self, reason: str) -> str:
        if reason in self._WITHHELD:
            return "content_filter"
        known = {"STOP": "stop", "MAX_TOKENS": "max_tokens", NO_CHOICE: NO_CHOICE}
        return known.get(reason, "unknown")

    def _unanswered(self, status: str, reply: Json) -> Failure:
        if status == "succeeded":
            return Failure(reason="no line came back")
        match reply:
            case {"error": {"code": int(code)}}:
                passing = self._STATUSES.get(code, 400) in (429, 500, 503, 504)
            case _:
                passing = False
        final = status == "failed" and not passing
        return batch_failure(status, said_by(reply.get("error")), final=final)


_NATIVE: Final[Mapping[str, tuple[type[Batching], str]]] = {
    "anthropic": (AnthropicBatching, "x-api-key"),
    "google": (GoogleBatching, "x-goog-api-key"),
}


def batching_of(model: Model) -> Batching | None:
    """Return how a model's provider takes batches, or None if it takes none that is known."""
    if isinstance(model, Hosted):
        return OpenAIBatching(model)
    if not isinstance(model, Inspected) or model.provider.name not in _NATIVE:
        return None
    if model.base_url is None:
        return None
    kind, key_header = _NATIVE[model.provider.name]
    headers = {key_header: model.key or "", **kind.versions}
    return kind(model, Transport(model.base_url, key=None), headers)


def _stated(**settings: Any) -> Json:
    """Return the settings that are any."""
    return {name: value for name, value in settings.items() if value is not None}


def _worked_on(about: _Parsed) -> int:
    match about:
        case {"batchStats": dict(stats)}:
            keys = ("successfulRequestCount", "failedRequestCount")
            return sum(int(stats.get(key, 0)) for key in keys)
    return 0


def _joined(parts: Iterable[Json], kind: str) -> str:
    return "".join(part[kind] for part in parts if isinstance(part.get(kind), str))


def _kept(reply: _Parsed) -> str:
    return redact(json.dumps(reply, ensure_ascii=False, sort_keys=True))
