// Where one is in a replay: the step, whose view, and the clock that steps on by itself. It draws nothing.

const STEP_MS = 1000; // at speed 1

export class Playhead {
  #clock = null;
  #last;
  #seats;
  #changed;

  // last: the last step; start: {step, view, speed}, brought within bounds; changed() is told of every change.
  constructor(last, seats, start, changed) {
    const { step = 0, view = -1, speed = 1 } = start;
    this.#last = last;
    this.#seats = seats;
    this.#changed = changed;
    Object.assign(this, { step: this.#boundStep(Math.trunc(step)), view: this.#boundView(view), speed });
  }

  get isPlaying() {
    return this.#clock !== null;
  }

  goTo(step) {
    this.step = this.#boundStep(step);
    this.#changed();
  }

  // view: a seat, or -1 for all cards open.
  lookFrom(view) {
    this.view = this.#boundView(view);
    this.#changed();
  }

  // At the end it begins anew.
  togglePlay() {
    if (this.isPlaying) {
      this.stop();
      return this.#changed();
    }
    this.#startClock();
    this.#stepOn(this.step >= this.#last ? 0 : this.step + 1);
  }

  setSpeed(speed) {
    this.speed = speed;
    if (!this.isPlaying) return;
    this.stop();
    this.#startClock();
  }

  stop() {
    clearInterval(this.#clock);
    this.#clock = null;
  }

  #startClock() {
    this.#clock = setInterval(() => this.#stepOn(this.step + 1), STEP_MS / this.speed);
  }

  #stepOn(step) {
    if (step >= this.#last) this.stop();
    this.goTo(step);
  }

  #boundStep(step) {
    return Math.max(0, Math.min(this.#last, step));
  }

  #boundView(view) {
    return view < this.#seats ? view : -1;
  }
}
