// A source of random choices that repeats itself for a seed.
export class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /** A number from 0 to below 1 (mulberry32). */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  below(count) {
    return Math.floor(this.next() * count);
  }

  chance(percent) {
    return this.below(100) < percent;
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}
