def play(view):
    return view.legal[0]


if __name__ == "__main__":  # false on the site: the file is loaded as the module bot
    print("I am a bot")
