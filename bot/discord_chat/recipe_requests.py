"""`/recipe run`: a request that invokes a recipe without a keyword and without a tool call (REC-7).

The bot's own answer to the command shows the request; the reply answers it like a message of the person.
"""

from datetime import datetime

from bot.discord_chat.incoming_message import Author, IncomingMessage, to_json, turn_id_of
from bot.discord_chat.languages import told
from bot.discord_chat.message_decisions import MessageDecisions
from bot.discord_chat.room_stickers import OptionsOf
from bot.discord_chat.trigger_rules import Decision, Verdict
from core.clock import Clock
from core.conversation.content import Text
from core.conversation.turns import UserTurn
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import ReplyPlace, Send
from recipes.prompts import skill_of
from recipes.recipe import Recipe
from recipes.run_scene import RunScene, Standing
from sessions.bindings import ChannelBinding
from sessions.inbox import Inbox, NewMessage
from sessions.outbox_rules import reply_id_for
from sessions.scene import Sessions


class RecipeRequests:
    """Submits requests to the scene in which the command was given."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        inbox: Inbox,
        orchestrator: Orchestrator,
        place: ReplyPlace,
        options: OptionsOf,
        decisions: MessageDecisions,
        clock: Clock,
    ) -> None:
        self._sessions = sessions
        self._inbox = inbox
        self._orchestrator = orchestrator
        self._place = place
        self._options = options
        self._decisions = decisions
        self._clock = clock

    async def run(
        self, scene: RunScene, recipe: Recipe, request: str, *, message_id: int, at: datetime
    ) -> Decision:
        """Have the request answered, as a reply to the message that shows it, if rules and limits allow."""
        place = scene.place
        binding = ChannelBinding(
            channel_id=int(place.channel_id or 0),
            guild_id=None if place.guild_id is None else int(place.guild_id),
        )
        said = request.strip() or told("Use the recipe {name}.", name=recipe.name)
        asked = _as_message(binding, scene, said, message_id=message_id, at=at)
        decision = (await self._decisions.decide(asked)).decision
        if decision.verdict is not Verdict.ANSWER:
            return decision
        await self._sessions.open(binding, self._clock.now())
        await self._inbox.accept(
            NewMessage(
                message_id=str(message_id), session_id=binding.session_id, payload=to_json(asked), at=at
            )
        )
        session = await self._sessions.open(binding, self._clock.now())
        turn = UserTurn(
            id=turn_id_of(message_id),
            at=at,
            speaker=scene.speaker,
            content=(Text(text=said),),
            skills=(skill_of(recipe, by_owner=scene.standing is Standing.OWNER),),
        )
        self._orchestrator.submit(
            Send(
                session_id=session.session_id,
                generation=session.generation,
                reply_id=reply_id_for(str(message_id)),
                turns=(turn,),
                place=self._place,
                options=self._options(binding),
            )
        )
        return decision


def _as_message(
    binding: ChannelBinding, scene: RunScene, said: str, *, message_id: int, at: datetime
) -> IncomingMessage:
    """As if the person had written it to the bot; so the inbox keeps it, and it is answered after a crash."""
    speaker = scene.speaker
    author = Author(id=int(speaker.id), name=speaker.name) if speaker is not None else Author(id=0, name="")
    return IncomingMessage(
        id=message_id,
        channel_id=binding.channel_id,
        guild_id=binding.guild_id,
        author=author,
        at=at,
        text=said,
        mentions_bot=True,
    )
