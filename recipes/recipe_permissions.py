"""Who may use recipes and who may decide about them (REC-3, REC-5). Pure.

use       the owner everywhere; managers, and members where the server says so, in their server
manage    the owner everything; managers what is of their server alone
"""

from recipes.recipe import InGuild, Scope
from recipes.run_scene import Place, Standing


def may_use_recipes(standing: Standing, place: Place, *, members_may: bool) -> bool:
    """Whether recipes exist for this person here: keywords, the list, and every tool of it."""
    if standing is Standing.OWNER:
        return True
    if place.guild_id is None:
        return False
    return standing is Standing.MANAGER or members_may


def may_manage_recipe(standing: Standing, place: Place, scope: Scope) -> bool:
    """Whether this person may add, change, approve or delete a recipe of `scope`, acting from `place`."""
    if standing is Standing.OWNER:
        return True
    is_own_guild = isinstance(scope, InGuild) and scope.guild_id == place.guild_id
    return standing is Standing.MANAGER and is_own_guild
