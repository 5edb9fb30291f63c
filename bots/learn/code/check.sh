bella check my_bot.py
