"""The form in which a person writes a recipe, a decision, or changes either (REC-7)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

import discord

from bot.discord_chat.commands.answering import AnyInteraction, Refused
from bot.discord_chat.commands.form import Form
from bot.discord_chat.commands.parts import text_file
from bot.discord_chat.languages import told, words_of
from core.sentences import sentence
from recipes.answer_lines import decision_from_lines, lines_of_decision
from recipes.form_reading import FormRefused
from recipes.library import RecipeRefused
from recipes.recipe import MOST_KEYWORD, MOST_KEYWORDS, MOST_PURPOSE, MOST_QUESTION, MOST_STEPS
from recipes.recipe_form import RecipeDraft

Keep = Callable[[AnyInteraction, RecipeDraft], Awaitable[None]]
"""Stores the draft and answers the person; raises `RecipeRefused`."""

_MOST_KEYWORDS_TEXT: Final = MOST_KEYWORDS * (MOST_KEYWORD + len(", "))
_MOST_ANSWERS_TEXT: Final = 4_000  # Discord: of a field
_HOW_ANSWERS: Final = sentence(
    "One per line: answer = reply, quiet, hint: ... or recipe: ... A * marks the default."
)

_TOO_LONG: Final = sentence(
    "This recipe is too long for a form: change it in the file of `/recipe export`, delete it, and import"
    " the file."
)


class RecipeForm(Form):
    """Purpose, keywords, and steps or a question with its answers."""

    def __init__(self, draft: RecipeDraft, keep: Keep, *, decides: bool) -> None:
        super().__init__(title=told("Recipe {draft}", draft=draft.name))
        self._draft = draft
        self._keep = keep
        self._decides = decides
        self._purpose = self._field(
            sentence("Purpose"), sentence("One line: what it is for."), draft.purpose, MOST_PURPOSE
        )
        keywords = ", ".join(draft.keywords)
        self._keywords = self._field(
            sentence("Keywords"),
            sentence("Words in a message that invoke it, with commas between."),
            keywords,
            _MOST_KEYWORDS_TEXT,
        )
        if decides:
            question = "" if draft.decision is None else draft.decision.question
            answers = "" if draft.decision is None else lines_of_decision(draft.decision)
            self._question = self._field(
                sentence("Question"), sentence("What is decided."), question, MOST_QUESTION
            )
            self._answers = self._field(
                sentence("Answers"), _HOW_ANSWERS, answers, _MOST_ANSWERS_TEXT, long=True
            )
        else:
            self._steps = self._field(
                sentence("Steps"), sentence("Instructions, as Markdown."), draft.steps, MOST_STEPS, long=True
            )

    def _field(
        self, label: str, description: str, value: str, most: int, *, long: bool = False
    ) -> "discord.ui.TextInput[RecipeForm]":
        if len(value) > most:
            raise Refused(_TOO_LONG)
        style = discord.TextStyle.paragraph if long else discord.TextStyle.short
        field = discord.ui.TextInput[RecipeForm](
            custom_id=label.lower(),
            style=style,
            default=value,
            max_length=most,
            required=label != "Keywords",
        )
        self.add_item(discord.ui.Label(text=told(label), description=told(description), component=field))
        return field

    async def on_submit(self, interaction: AnyInteraction) -> None:
        """Keep it, or hand back what was typed."""
        try:
            await self._keep(interaction, self._written())
        except (RecipeRefused, FormRefused) as refused:
            await self._hand_back(interaction, words_of(refused))

    def _written(self) -> RecipeDraft:
        keywords = tuple(part.strip() for part in self._keywords.value.split(",") if part.strip())
        if not keywords:
            raise RecipeRefused(sentence("It needs a keyword: a word in a message that invokes it."))
        draft = replace(self._draft, purpose=self._purpose.value.strip(), keywords=keywords)
        if self._decides:
            decision = decision_from_lines(self._question.value, self._answers.value)
            return replace(draft, decision=decision, steps="")
        return replace(draft, steps=self._steps.value.strip(), decision=None)

    async def _hand_back(self, interaction: AnyInteraction, problem: str) -> None:
        typed = [self._purpose.value, self._keywords.value]
        typed += [self._question.value, self._answers.value] if self._decides else [self._steps.value]
        note = told(
            "Not kept. {problem} Here is what you wrote, so that it is not lost.", problem=told(problem)
        )
        file = text_file("\n\n".join(typed), "recipe.txt")
        if interaction.response.is_done():
            await interaction.followup.send(note, file=file, ephemeral=True)
        else:
            await interaction.response.send_message(note, file=file, ephemeral=True)
