import type { SingleBar } from 'cli-progress'
import type { OnProgress } from '../../store/progress.ts'
import type { Clock } from '../../world/clock.ts'
import { durationText } from './words.ts'

/** What is over sooner needs no bar, which would only flicker. */
const NOT_WORTH_IT_MS = 400

/** A bar with how much, how fast and how long still. It comes when the work turns out to take a while. */
export class ProgressBar {
  readonly #bar: SingleBar
  readonly #clock: Clock
  readonly #madeAt: number
  #what: string | null = null
  #beganAt: number

  private constructor(bar: SingleBar, clock: Clock) {
    this.#bar = bar
    this.#clock = clock
    this.#madeAt = clock.now()
    this.#beganAt = this.#madeAt
  }

  /** The package is loaded when there is something to show. */
  static async on(stream: NodeJS.WriteStream, clock: Clock): Promise<ProgressBar> {
    const { default: progress } = await import('cli-progress')
    const bar = new progress.SingleBar(
      {
        stream,
        format: '{what} {bar} {percentage}% │ {value}/{total} │ {rate}/s │ {left}',
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

  readonly update: OnProgress = ({ what, done, total }) => {
    const now = this.#clock.now()
    if (what !== this.#what) {
      // The next stage of the same work has its own units and its own pace.
      this.stop()
      this.#what = what
      this.#beganAt = now
    }
    if (now - this.#madeAt < NOT_WORTH_IT_MS) return
    if (!this.#bar.isActive) this.#bar.start(total, done, { what, rate: '-', left: '' })
    const perSecond = done / Math.max(0.001, (now - this.#beganAt) / 1000)
    const left = perSecond > 0 ? `${durationText(Math.ceil((total - done) / perSecond))} left` : ''
    this.#bar.setTotal(total)
    this.#bar.update(done, { what, rate: Math.round(perSecond).toLocaleString('en'), left })
  }

  stop(): void {
    if (this.#bar.isActive) this.#bar.stop()
  }
}
