import type { JobAggregate } from '../../src/core/aggregate.ts'
import type { Obstacle } from '../../src/core/job/commands.ts'
import type { Client } from './client.ts'
import { law } from './law-broken.ts'
import { PROTOCOLS, QUEUES, SERVICES, TENANTS } from './protocols.ts'
import type { Scene } from './scene.ts'
import { isEnded } from './shadow.ts'
import { StagedActions } from './staged-actions.ts'
import { short } from './trace.ts'

const ACTIONS = {
  submit: 34,
  dependant: 12,
  chain: 4,
  'the same again': 12,
  'twice at once': 3,
  'another with a known key': 2,
  cancel: 8,
  'stale cancel': 2,
  expedite: 6,
  again: 6,
  pause: 4,
  resume: 6,
  limit: 5,
  schedule: 3,
  'move schedule': 4,
  compact: 1,
} as const

type Action = keyof typeof ACTIONS

const POLICIES = ['fail', 'skip', 'release'] as const
const OBSTACLES: readonly Obstacle[] = ['dependencies', 'limits', 'attempt', 'gate']

/** How much of what happens is about jobs that others have a say in. */
const STAGED = 0.25

/** What clients do, one thing after the other, as chance has it. */
export class ClientActions {
  readonly #scene: Scene
  readonly #client: Client
  readonly #staged: StagedActions
  /** The new job of each key with which a job was run again. */
  readonly #agains = new Map<string, string>()

  constructor(scene: Scene, client: Client) {
    this.#scene = scene
    this.#client = client
    this.#staged = new StagedActions(scene, client)
  }

  act(): Promise<void> {
    if (this.#scene.dice.chance(STAGED)) return this.#staged.act()
    return this.#actions[this.#scene.dice.weighed(ACTIONS)]()
  }

  /** Lets everything go on: queues without limits, schedules at rest. */
  async clearUp(): Promise<void> {
    for (const queue of this.#scene.laws.shadow.queues.keys()) {
      await this.#client.ask(`resume ${queue}`, ({ queues }) => queues.resume(queue))
    }
    for (const { schedule_id, tenant_id, state } of this.#scene.laws.shadow.schedules.values()) {
      if (state !== 'active') continue
      await this.#client.ask(`pause ${schedule_id}`, ({ schedules }) =>
        schedules.pause(schedule_id, { tenant_id }),
      )
    }
    await this.#staged.clearUp()
  }

  readonly #actions: { readonly [A in Action]: () => Promise<void> } = {
    submit: () => this.#client.submit(this.#client.requests.make(), this.#scene.dice.chance(0.3)),
    dependant: () => this.#dependant(),
    chain: () => this.#chain(),
    'the same again': async () => {
      const { all } = this.#client.requests
      if (all.length > 0) await this.#client.submit(this.#scene.dice.oneOf(all))
    },
    'twice at once': async () => {
      const request = this.#client.requests.make()
      await Promise.all([this.#client.submit(request), this.#client.submit(request)])
    },
    'another with a known key': async () => {
      const keyed = this.#client.requests.accepted().filter(({ envelope }) => envelope.idempotency_key)
      if (keyed.length > 0) await this.#client.submitOther(this.#scene.dice.oneOf(keyed))
    },
    cancel: () => this.#cancel(),
    'stale cancel': () => this.#staleCancel(),
    expedite: () => this.#expedite(),
    again: () => this.#again(),
    pause: async () => {
      const queue = this.#queue()
      await this.#client.ask(`pause ${queue}`, ({ queues }) => queues.pause(queue))
    },
    resume: async () => {
      const queue = this.#queue()
      await this.#client.ask(`resume ${queue}`, ({ queues }) => queues.resume(queue))
    },
    limit: () => this.#limit(),
    schedule: () => this.#schedule(),
    'move schedule': () => this.#moveSchedule(),
    compact: async () => {
      await this.#client.ask('compact', (ledger) => ledger.compact(), [])
    },
  }

  async #dependant(): Promise<void> {
    const { dice } = this.#scene
    const tenant_id = dice.oneOf(TENANTS)
    const known = this.#client.requests.accepted(tenant_id)
    if (known.length === 0) return
    // Mostly of late: what ended long ago holds nobody up.
    const recent = known.slice(-4)
    const depends_on = [dice.oneOf(recent), dice.oneOf(recent)].map(({ job_id }) => job_id)
    const on_dependency_failure = dice.oneOf(POLICIES)
    await this.#client.submit(this.#client.requests.make({ tenant_id, depends_on, on_dependency_failure }))
  }

  /** Both, or neither. */
  async #chain(): Promise<void> {
    const { dice } = this.#scene
    const { requests } = this.#client
    const tenant_id = dice.oneOf(TENANTS)
    const first = requests.make({ tenant_id, job_id: `chain-${requests.all.length}` })
    const depends_on = [first.envelope.job_id as string]
    const second = requests.make({ tenant_id, depends_on, on_dependency_failure: dice.oneOf(POLICIES) })
    const sendings = [first, second].map((request) => this.#client.send(request))
    const told = await this.#client.ask(
      `chain ${first.envelope.input_ref}`,
      (ledger) => ledger.batch((make) => [make.submit(first.envelope), make.submit(second.envelope)]),
      ['IN_FLIGHT_LIMIT'],
    )
    for (const [n, sending] of sendings.entries()) {
      this.#client.heard(sending, 'answer' in told ? { answer: told.answer[n as 0 | 1] } : told)
    }
  }

  async #cancel(): Promise<void> {
    const target = this.#job()
    if (target === null) return
    const { job_id, tenant_id } = target.job
    const told = await this.#client.ask(`cancel ${short(job_id)}`, ({ jobs }) =>
      jobs.cancel(job_id, { tenant_id }),
    )
    if (!('answer' in told)) return
    const { state } = told.answer
    law(isEnded(told.answer) || state === 'CANCELLING', () => `job ${job_id} was cancelled and is ${state}`)
  }

  async #staleCancel(): Promise<void> {
    const target = this.#job()
    if (target === null) return
    const { job_id, tenant_id } = target.job
    const told = await this.#client.ask(
      `stale cancel ${short(job_id)}`,
      ({ jobs }) => jobs.cancel(job_id, { tenant_id, if_match: 'long ago' }),
      ['STALE_ETAG'],
    )
    law(!('answer' in told), () => `job ${job_id} was cancelled with an etag that it never had`)
  }

  async #expedite(): Promise<void> {
    const target = this.#job()
    if (target === null) return
    const { dice } = this.#scene
    const { job_id, tenant_id } = target.job
    const ignore = OBSTACLES.filter(() => dice.chance(0.25))
    const priority = dice.chance(0.3) ? dice.oneOf(['critical', 'low'] as const) : undefined
    const name = `expedite ${short(job_id)} past ${ignore}`
    await this.#client.ask(name, ({ jobs }) => jobs.expedite(job_id, { tenant_id, ignore, priority }))
  }

  async #again(): Promise<void> {
    const { dice } = this.#scene
    const target = this.#job()
    if (target === null) return
    const { job, steps } = target
    const { tenant_id, job_id } = job
    const from_step = dice.chance(0.4) ? dice.oneOf(steps).step_id : undefined
    const idempotency_key = dice.chance(0.5) ? `again ${job_id}` : undefined
    const told = await this.#client.ask(
      `again ${short(job_id)} from ${from_step ?? 'the beginning'}`,
      ({ jobs }) => jobs.again(job_id, { tenant_id, from_step, idempotency_key }),
      ['JOB_NOT_ENDED', 'IN_FLIGHT_LIMIT', 'STEP_NOT_REACHED', 'STEP_UNKNOWN', 'RUN_CLOSED'],
    )
    if (!('answer' in told)) return
    const made = told.answer.job_id
    law(
      this.#scene.laws.shadow.job(tenant_id, made) !== undefined,
      () => `job ${made} is to run again, and is not there`,
    )
    if (idempotency_key === undefined) return
    const known = this.#agains.get(`${tenant_id} ${job_id}`) ?? made
    law(known === made, () => `job ${job_id} was run again as ${known}, and with the same key as ${made}`)
    this.#agains.set(`${tenant_id} ${job_id}`, made)
  }

  async #limit(): Promise<void> {
    const { dice } = this.#scene
    const queue = this.#queue()
    const limits = {
      ...(dice.chance(0.6) ? { concurrency: dice.oneOf([null, 1, 2]) } : null),
      ...(dice.chance(0.5)
        ? { rate: dice.oneOf([null, { max: 2, per_ms: 6000 }, { max: 1, per_ms: 2000 }]) }
        : null),
    }
    await this.#client.ask(`limit ${queue} to ${JSON.stringify(limits)}`, ({ queues }) =>
      queues.limit(queue, limits),
    )
  }

  async #schedule(): Promise<void> {
    const { dice } = this.#scene
    const schedule_id = dice.oneOf(['often', 'seldom'])
    const schedule = {
      schedule_id,
      cron: dice.oneOf(['*/15 * * * * *', '*/40 * * * * *', '* * * * *']),
      request: {
        request_type: dice.oneOf(PROTOCOLS).request_type,
        input_ref: 'in:schedule',
        output_ref: 'out:schedule',
        payload: { host: 'a' },
        schema_version: 'v1',
      },
      overlap: dice.oneOf(['allow', 'skip'] as const),
      catch_up: dice.oneOf(['one', 'none', 'all'] as const),
    } as const
    const tenant_id = dice.oneOf(TENANTS)
    await this.#client.ask(`schedule ${schedule_id}`, ({ schedules }) =>
      schedules.put(schedule, { tenant_id }),
    )
  }

  async #moveSchedule(): Promise<void> {
    const { dice, laws } = this.#scene
    const known = [...laws.shadow.schedules.values()]
    if (known.length === 0) return
    const { schedule_id, tenant_id } = dice.oneOf(known)
    const verb = dice.oneOf(['pause', 'resume', 'remove'] as const)
    await this.#client.ask(
      `${verb} ${schedule_id}`,
      ({ schedules }) => schedules[verb](schedule_id, { tenant_id }),
      ['NOT_FOUND'],
    )
  }

  #queue(): string {
    return this.#scene.dice.oneOf([...QUEUES, ...SERVICES])
  }

  /** Any one, but mostly one that is open. */
  #job(): JobAggregate | null {
    const { dice, laws } = this.#scene
    const open = laws.shadow.openJobs()
    const all = open.length > 0 && dice.chance(0.7) ? open : [...laws.shadow.jobs.values()]
    return all.length === 0 ? null : dice.oneOf(all)
  }
}
