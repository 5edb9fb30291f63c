bella play my_bot.py greedy --deals 40
