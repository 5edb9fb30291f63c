bella ask my_bot.py < request.jsonl
