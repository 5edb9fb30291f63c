def play(view):
    points = ["24567FCR3A".index(card[0]) for card in view.legal]
    return view.legal[points.index(min(points))]
