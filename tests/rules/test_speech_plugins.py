"""Plugins and language packs of speech text (SPEECH-4, SPEECH-8)."""

from dataclasses import replace

from voice.speech_text import (
    Formula,
    LocalePacks,
    SpeechContext,
    SpeechPreprocessor,
    default_speech_preprocessors,
    math_speech,
    maths_speech_preprocessor,
    money_speech_preprocessor,
    to_speech_text,
)


def test_the_defaults_are_money_and_maths() -> None:
    """SPEECH-4: money, then maths with chemistry."""
    assert [plugin.name for plugin in default_speech_preprocessors()] == ["money", "maths"]


def test_a_plugin_rewrites_prose_before_the_defaults() -> None:
    """SPEECH-4: adding one keeps the defaults."""
    brand = SpeechPreprocessor(name="brand", prose=lambda text, _: text.replace("Parley", "par lay"))
    said = to_speech_text("Parley costs $5.", preprocessors=[brand, *default_speech_preprocessors()])
    assert said == "par lay costs five dollars."


def test_a_plugin_prepares_the_markdown() -> None:
    """SPEECH-4: `prepare` sees the Markdown before anything else."""
    plugin = SpeechPreprocessor(name="loud", prepare=lambda markdown, _: markdown.replace("#", "# Title:"))
    said = to_speech_text("# One", preprocessors=[plugin, *default_speech_preprocessors()])
    assert said == "Title: One."


def test_the_first_plugin_that_reads_a_formula_is_taken() -> None:
    """SPEECH-4: a `formula` hook that answers nothing leaves the formula to the next."""

    def energy(formula: Formula, context: SpeechContext) -> str | None:
        return f"energy in {context.language}" if formula.tex == "E" else None

    plugins = [SpeechPreprocessor(name="energy", formula=energy), *default_speech_preprocessors()]
    assert to_speech_text("So $E$ and $x^2$.", preprocessors=plugins) == "So energy in en and x squared."


def test_prose_hooks_run_once_for_each_run_of_text() -> None:
    """SPEECH-4: a hook sees the text between formulas, without marks."""
    seen: list[str] = []

    def note(text: str, _: SpeechContext) -> str:
        seen.append(text)
        return text

    to_speech_text("One **two** $x$ three.", preprocessors=[SpeechPreprocessor(name="note", prose=note)])
    assert seen == ["One two ", " three."]


def test_without_the_defaults_a_formula_is_read_token_by_token() -> None:
    """SPEECH-6: a formula is never dropped silently, even where nobody reads formulas."""
    assert to_speech_text("So $x^2$.", preprocessors=[]) == "So x two."


def test_money_alone_and_maths_alone() -> None:
    """SPEECH-4, SPEECH-5: each default can be used by itself."""
    assert to_speech_text("$5", preprocessors=[money_speech_preprocessor()]) == "five dollars"
    assert to_speech_text("$x^2$", preprocessors=[maths_speech_preprocessor()]) == "x squared"


def test_the_words_around_choose_the_language_before_the_voice() -> None:
    """SPEECH-5, SPEECH-8: the voice decides only where there are no words."""
    assert (
        to_speech_text("The price is $5 and $x^2$.", language="zh")
        == "The price is five dollars and x squared."
    )
    assert to_speech_text("价格是$5。", language="en") == "价格是五美元。"
    assert to_speech_text("値段は$5です。", language="en") == "値段は五ドルです。"
    assert to_speech_text("값은 $5입니다.", language="en") == "값은 오 달러입니다."
    assert to_speech_text("$x^2$", language="ja") == "xの二乗"
    assert to_speech_text("我有 3 个 apples。", language="en") == "我有三个apples。"


def test_each_sentence_has_its_own_language() -> None:
    """SPEECH-8: an answer in two languages is read in both."""
    assert to_speech_text("I have 3 apples. 我有3个苹果。") == "I have three apples. 我有三个苹果。"


def test_a_language_without_a_pack_reads_in_english() -> None:
    """SPEECH-8: German words stay, its numbers are said in English."""
    assert to_speech_text("Ich habe 3 Äpfel.", language="de-DE") == "Ich habe three Äpfel."


def test_a_region_falls_back_to_its_language() -> None:
    """SPEECH-8: `language` is a BCP 47 tag."""
    assert to_speech_text("$x^2$", language="zh-Hant-TW") == "x的平方"
    assert to_speech_text("$x^2$", language="en-GB") == "x squared"


def test_a_registered_pack_adds_or_changes_a_language() -> None:
    """SPEECH-8: `math_speech.register(pack)`; other registries are not touched."""
    english = math_speech.pack("en")
    packs = LocalePacks(english)
    scots = replace(english, tag="sco", maths=replace(english.maths, power_2="{base} twice"))
    packs.register(scots)
    assert to_speech_text("$x^2$", language="sco", packs=packs) == "x twice"
    assert to_speech_text("$x^2$", language="en", packs=packs) == "x squared"
    packs.register(replace(english, maths=replace(english.maths, power_2="{base} to the two")))
    assert to_speech_text("$x^2$", language="en", packs=packs) == "x to the two"
    assert to_speech_text("$x^2$", language="en") == "x squared"
    assert packs.speaks("sco")
    assert not packs.speaks("fr")


def test_a_list_counts_its_own_items_in_the_words_of_its_language() -> None:
    """SPEECH-2: an ordered list says its numbers, from where it starts."""
    assert to_speech_text("3. Stir.\n4. Wait.") == "three, Stir. four, Wait."


def test_a_long_table_is_told_not_read() -> None:
    """SPEECH-2: short tables row by row with headers, long ones a notice."""
    rows = "".join(f"| {number} | x |\n" for number in range(20))
    assert to_speech_text(f"| a | b |\n|---|---|\n{rows}") == "There is a table on the screen."


def test_repeated_characters_are_bounded() -> None:
    """SPEECH-3: what is written a hundred times is not said a hundred times."""
    assert len(to_speech_text("a" * 500 + "!" * 500 + "hi" * 500)) < 30
