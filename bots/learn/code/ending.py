from games.engine import solve


def play(view):
    if view.opponent_hand():  # the stock is gone: nothing is hidden any more
        return solve(view).best[0]  # the best card, exactly
    return min(view.legal, key=lambda card: "24567FCR3A".index(card[0]))
