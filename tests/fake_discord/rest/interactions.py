"""Answers to interactions: the callback, the original answer, follow-ups.

Source: https://docs.discord.com/developers/interactions/receiving-and-responding#responding-to-an-interaction
"""

from __future__ import annotations

from tests.fake_discord import message_payloads
from tests.fake_discord.entities import Json, Message, MessageFlag, MessageKind
from tests.fake_discord.interactions import CallbackKind, Interaction, InteractionKind
from tests.fake_discord.messages import Draft
from tests.fake_discord.rate_limits import Limit
from tests.fake_discord.rest import guards, uploads
from tests.fake_discord.rest.messages import apply_edit
from tests.fake_discord.rest.routing import NO_CONTENT, UNKNOWN_MESSAGE, Answer, ApiError, Call, Routes

ROUTES = Routes()
_CALLBACK = "/interactions/{interaction_id}/{interaction_token}/callback"
_HOOK = "/webhooks/{webhook_id}/{webhook_token}"
_LIMIT = Limit(5, 2.0)
_UNLIMITED = Limit(1_000_000, 1.0)
_KEPT_FLAGS = int(
    MessageFlag.EPHEMERAL
    | MessageFlag.SUPPRESS_EMBEDS
    | MessageFlag.SUPPRESS_NOTIFICATIONS
    | MessageFlag.COMPONENTS_V2
    | MessageFlag.VOICE_MESSAGE
)
_ALLOWED = {
    InteractionKind.COMMAND: (4, 5, 9),
    InteractionKind.COMPONENT: (4, 5, 6, 7, 9),
    InteractionKind.AUTOCOMPLETE: (8,),
    InteractionKind.MODAL: (4, 5, 6, 7),
}


@ROUTES.on("POST", _CALLBACK, access="token", limit=_UNLIMITED)
def respond(call: Call) -> Answer:
    state, form = call.state, call.form
    one = state.interactions.by_token(call.exchange.params["interaction_token"])
    if one is None or one.id != call.number("interaction_id") or state.interactions.too_late(one):
        raise ApiError(404, 10062, "Unknown interaction")
    if one.callback is not None:
        raise ApiError(400, 40060, "Interaction has already been acknowledged.")
    kind = form.get("type")
    if kind not in _ALLOWED[one.kind]:
        raise ApiError(400, 50035, "Invalid Form Body", errors={"type": {"_errors": []}})
    data: Json = form.get("data") or {}
    chosen = CallbackKind(kind)
    if chosen in (CallbackKind.MESSAGE, CallbackKind.UPDATE):
        guards.check_upload(call)
        edited = one.message if chosen is CallbackKind.UPDATE else None
        guards.check_form(data, has_files=bool(call.exchange.files), editing=edited)
    one.callback, one.callback_data, one.responded_at = chosen, data, state.clock()
    if chosen is CallbackKind.MESSAGE:
        _open_original(one, _post(call, one, data))
    elif chosen is CallbackKind.DEFERRED:
        loading: Json = {"flags": (data.get("flags") or 0) & MessageFlag.EPHEMERAL | MessageFlag.LOADING}
        _open_original(one, _post(call, one, loading))
    elif one.message is not None and chosen in (CallbackKind.UPDATE, CallbackKind.DEFERRED_UPDATE):
        _open_original(one, one.message)
        if chosen is CallbackKind.UPDATE:
            _edit(call, one.message, data)
    state.recorder.changed()
    if call.exchange.query.get("with_response") not in ("true", "True", "1"):
        return NO_CONTENT
    return Answer(body=_callback_response(call, one))


def _callback_response(call: Call, one: Interaction) -> Json:
    interaction: Json = {"id": str(one.id), "type": int(one.kind), "channel_id": str(one.channel.id)}
    if one.channel.guild is not None:
        interaction["guild_id"] = str(one.channel.guild.id)
    made: Json = {"interaction": interaction}
    if one.original is not None:
        interaction["response_message_id"] = str(one.original.id)
        interaction["response_message_loading"] = bool(one.original.flags & MessageFlag.LOADING)
        interaction["response_message_ephemeral"] = one.original.ephemeral
        assert one.callback is not None
        if one.callback is not CallbackKind.DEFERRED_UPDATE:
            kind = CallbackKind.MESSAGE if one.callback is CallbackKind.DEFERRED else one.callback
            shown = message_payloads.message(one.original, viewer=call.bot)
            made["resource"] = {"type": int(kind), "message": shown}
    return made


def _open_original(one: Interaction, message: Message) -> None:
    one.original = message
    one.messages[message.id] = message


def _post(call: Call, one: Interaction, form: Json) -> Message:
    """Posts an answer; ephemeral ones are kept with the interaction only."""
    flags = (form.get("flags") or 0) & (_KEPT_FLAGS | MessageFlag.LOADING)
    kind = None
    if one.original is None and one.kind is InteractionKind.COMMAND:
        kind = MessageKind.COMMAND if one.data["type"] == 1 else MessageKind.CONTEXT_MENU
    draft = Draft(
        content=form.get("content") or "",
        attachments=uploads.store(call, one.channel, form, ephemeral=bool(flags & MessageFlag.EPHEMERAL)),
        embeds=form.get("embeds") or (),
        components=form.get("components") or (),
        poll=form.get("poll"),
        allowed_mentions=form.get("allowed_mentions"),
        flags=flags,
        tts=bool(form.get("tts")),
        kind=kind,
        webhook_id=call.state.world.application.id,
        interaction=call.state.interactions.metadata(one),
    )
    message = call.state.messages.create(one.channel, call.bot, draft)
    if one.original is not None:
        message.reference = None
    one.messages[message.id] = message
    return message


def _edit(call: Call, message: Message, form: Json) -> None:
    wrapped = call.exchange.json
    call.exchange.json = form
    try:
        apply_edit(call, message)
    finally:
        call.exchange.json = wrapped


def _interaction(call: Call) -> Interaction:
    one = call.state.interactions.by_token(call.exchange.params["webhook_token"])
    if one is None or call.number("webhook_id") != call.state.world.application.id:
        raise ApiError(404, 10015, "Unknown Webhook")
    if call.state.interactions.expired(one):
        raise ApiError(401, 50027, "Invalid Webhook Token")
    if one.callback is None:
        raise ApiError(404, 10015, "Unknown Webhook")
    return one


@ROUTES.on("POST", _HOOK, access="token", limit=_LIMIT)
def follow_up(call: Call) -> Answer:
    one = _interaction(call)
    guards.check_upload(call)
    guards.check_form(call.form, has_files=bool(call.exchange.files))
    if one.original is not None and one.original.flags & MessageFlag.LOADING:
        return Answer(body=_resolve_original(call, one.original))
    message = _post(call, one, call.form)
    one.followups.append(message)
    call.state.recorder.changed()
    return Answer(body=message_payloads.message(message, viewer=call.bot))


def _resolve_original(call: Call, message: Message) -> Json:
    """The first answer after a deferral takes the place of "thinking"."""
    message.flags &= ~MessageFlag.LOADING
    message.flags |= (call.form.get("flags") or 0) & MessageFlag.COMPONENTS_V2
    apply_edit(call, message)
    call.state.recorder.changed()
    return message_payloads.message(message, viewer=call.bot)


def _message(call: Call, one: Interaction) -> Message:
    if "message_id" not in call.exchange.params:
        found = one.original
    else:
        found = one.messages.get(call.number("message_id"))
    if found is None or found.deleted:
        raise ApiError(*UNKNOWN_MESSAGE)
    return found


def _get(call: Call) -> Answer:
    return Answer(body=message_payloads.message(_message(call, _interaction(call)), viewer=call.bot))


def _change(call: Call) -> Answer:
    message = _message(call, _interaction(call))
    guards.check_upload(call)
    guards.check_form(call.form, has_files=bool(call.exchange.files), editing=message)
    if message.flags & MessageFlag.LOADING:
        return Answer(body=_resolve_original(call, message))
    apply_edit(call, message)
    call.state.recorder.changed()
    return Answer(body=message_payloads.message(message, viewer=call.bot))


def _delete(call: Call) -> Answer:
    call.state.messages.delete(_message(call, _interaction(call)))
    call.state.recorder.changed()
    return NO_CONTENT


for _path in (_HOOK + "/messages/@original", _HOOK + "/messages/{message_id}"):
    ROUTES.on("GET", _path, access="token", limit=_LIMIT)(_get)
    ROUTES.on("PATCH", _path, access="token", limit=_LIMIT)(_change)
    ROUTES.on("DELETE", _path, access="token", limit=_LIMIT)(_delete)
