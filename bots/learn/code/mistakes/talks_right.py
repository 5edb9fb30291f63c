def play(view):
    print("trick", len(view.tricks) + 1, "hand", view.hand, "table", view.table)
    return view.legal[0]
