def play(view):
    return view.legal[0]


def main():  # only for trying it at home
    print("I am a bot")
