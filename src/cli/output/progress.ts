import type { SingleBar } from 'cli-progress'
import type { Clock } from '../../world/clock.ts'
import { durationText } from './words.ts'

/** How far long work is: so many of so many of something. Called often; it is shown a few times a second. */
export type OnProgress = (progress: {
  readonly what: string
  readonly done: number
  readonly total: number
}) => void

/** A bar with how much, how fast and how long still. Begins when work says for the first time how far it is. */
export class ProgressBar {
  readonly #bar: SingleBar
  readonly #clock: Clock
  #beganAt: number | null = null

  private constructor(bar: SingleBar, clock: Clock) {
    this.#bar = bar
    this.#clock = clock
  }

  /** The package is loaded when there is something to show. */
  static async on(stream: NodeJS.WriteStream, clock: Clock): Promise<ProgressBar> {
    const { default: progress } = await import('cli-progress')
    const bar = new progress.SingleBar(
      {
        stream,
        format: '{bar} {percentage}% │ {value}/{total} {what} │ {rate}/s │ {left}',
        barsize: 24,
        fps: 10,
        hideCursor: true,
        clearOnComplete: true,
        linewrap: false,
        formatValue: (value, _options, type) =>
          type === 'value' || type === 'total' ? value.toLocaleString('en') : String(value),
      },
      progress.Presets.shades_classic,
    )
    return new ProgressBar(bar, clock)
  }

  readonly update: OnProgress = ({ done, total, what }) => {
    const now = this.#clock.now()
    if (this.#beganAt === null) {
      this.#beganAt = now
      this.#bar.start(total, done, { what, rate: '-', left: '' })
    }
    const seconds = Math.max(0.001, (now - this.#beganAt) / 1000)
    const perSecond = done / seconds
    const left = perSecond > 0 ? `${durationText(Math.ceil((total - done) / perSecond))} left` : ''
    this.#bar.setTotal(total)
    this.#bar.update(done, { what, rate: Math.round(perSecond).toLocaleString('en'), left })
  }

  stop(): void {
    if (this.#beganAt !== null) this.#bar.stop()
  }
}
