from random import Random


def play(view):
    dice, hidden, score = Random(1), list(view.unseen()), dict.fromkeys(view.legal, 0)
    for _ in range(10_000_000):
        dice.shuffle(hidden)
        score[dice.choice(view.legal)] += 1  # stands for an imagined deal
    return max(score, key=score.get)
