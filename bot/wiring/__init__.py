"""The composition root: every adapter is made here, and nothing else makes one.

    core          settings -> storage, model, personas, domains, orchestrator
    discord_bot   core -> Discord; `discord_parts`, `discord_text`, `discord_commands`, `discord_deciding`,
                  `talk`, `voice`, `speech` and `tasks` are parts of it
    console       core -> the terminal
    doctor        settings -> what the doctor looks at

Each is imported by itself, so that the terminal starts without Discord and voice.
"""
