// Sounds made by Web Audio, no files. Loaded with the first sound, which no browser allows before the first gesture.

let context = null;
let output = null;

let loudness = 0;

function open() {
  if (!context) {
    context = new AudioContext();
    output = context.createGain();
    output.connect(context.destination);
  }
  if (context.state === 'suspended') context.resume();
  output.gain.value = loudness;
  return context;
}

/** A rustle: filtered noise that dies away. */
function rustle(seconds, frequency, gain, at = 0) {
  const audio = open();
  const length = Math.floor(audio.sampleRate * seconds);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < length; i += 1) samples[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 3;
  const source = new AudioBufferSourceNode(audio, { buffer });
  const filter = new BiquadFilterNode(audio, { type: 'bandpass', frequency, Q: 0.8 });
  source.connect(filter).connect(new GainNode(audio, { gain })).connect(output);
  source.start(audio.currentTime + at);
}

function tone(frequency, at = 0, seconds = 0.22, gain = 0.18) {
  const audio = open();
  const start = audio.currentTime + at;
  const envelope = new GainNode(audio, { gain: 0 });
  envelope.gain.linearRampToValueAtTime(0, start);
  envelope.gain.linearRampToValueAtTime(gain, start + 0.012);
  envelope.gain.exponentialRampToValueAtTime(0.0001, start + seconds);
  const source = new OscillatorNode(audio, { type: 'triangle', frequency });
  source.connect(envelope).connect(output);
  source.start(start);
  source.stop(start + seconds);
}

const SOUNDS = {
  card: () => rustle(0.09, 2400, 0.55),
  take: () => {
    rustle(0.16, 1500, 0.45);
    rustle(0.12, 1900, 0.3, 0.07);
  },
  turn: () => {
    tone(660);
    tone(880, 0.1);
  },
  low: () => [0, 0.18].forEach((at) => tone(230, at, 0.14, 0.25)),
  won: () => [523, 659, 784, 1046].forEach((frequency, i) => tone(frequency, i * 0.11, 0.35)),
  lost: () => [440, 392, 330].forEach((frequency, i) => tone(frequency, i * 0.14, 0.35)),
  even: () => [523, 523].forEach((frequency, i) => tone(frequency, i * 0.16, 0.3)),
};

/** Makes the sound `name` as loud as `volume`, 0 to 100. Loudness is heard by powers: half of it sounds half as loud. */
export function make(name, volume) {
  loudness = (volume / 100) ** 2;
  SOUNDS[name]();
}
