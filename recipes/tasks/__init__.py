"""Work that never blocks the conversation (TASK).

task, task_rules        a task as a value, its states, who may see and stop it
desk                    accepts, starts, cancels and answers for tasks
background, durable     a recipe that runs beside the conversation, step by step, across crashes
delegated               work for the configured backend agent
permissions             what a backend may do, decided by people through one policy
deliveries              brings results back to whoever asked
"""
