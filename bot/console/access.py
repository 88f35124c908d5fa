"""Who sits at the console: the owner, alone (SET-2)."""

from recipes.recipe import Recipe
from recipes.run_scene import Place, Standing


class ConsoleAccess:
    """The `SceneAccess` of the console."""

    async def place(self, session_id: str) -> Place:
        """A place of its own."""
        return Place(session_id=session_id)

    async def standing(self, place: Place, user_id: str) -> Standing:
        """Whoever reaches the terminal owns the bot."""
        return Standing.OWNER


class NoNotices:
    """The `ProposalNotices` of the console: the reply tells of a proposal; Discord lists it."""

    async def show(self, proposal: Recipe, place: Place) -> None:
        """Nothing is shown."""
