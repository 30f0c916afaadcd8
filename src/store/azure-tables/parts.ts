// How the parts of the engine are put together.
import type { World } from '../../world/world.ts'
import { CellStore } from './cell-store.ts'
import { Checking } from './checking.ts'
import { Claims } from './claims.ts'
import { Committing } from './committing.ts'
import { type Engine, LedgerTime } from './engine.ts'
import { Finding } from './finding.ts'
import { Finishing } from './finishing.ts'
import { Following } from './following.ts'
import { GroupedWrites } from './grouped-writes.ts'
import { HeldPlaces } from './held-places.ts'
import { History } from './history.ts'
import { Shards } from './idempotency-rows.ts'
import { KnownQueues } from './known-queues.ts'
import { LaneTails } from './lane-tails.ts'
import { Lanes } from './lanes.ts'
import type { LaneLease, LedgerMeta } from './ledger-rows.ts'
import type { Line } from './line-columns.ts'
import type { LoadingParts } from './loading.ts'
import { MergedLog } from './merged-log.ts'
import { Months } from './months.ts'
import { NamedJobs } from './named-jobs.ts'
import { News } from './news.ts'
import { Projections } from './projections.ts'
import { Receipts } from './receipts.ts'
import { RecentlyChanged } from './recently-changed.ts'
import { Recovering } from './recovering.ts'
import { RememberedCells } from './remembered-cells.ts'
import { Reservations } from './reservations.ts'
import { Retiring } from './retiring.ts'
import { Scanning } from './scanning.ts'
import type { TableService } from './service.ts'
import { Settling } from './settling.ts'
import { Signals } from './signals.ts'
import { SlotNumbers } from './slot-numbers.ts'
import { Sweeping } from './sweeping.ts'
import { Totals } from './totals.ts'
import { type OnWritten, Transacting } from './transacting.ts'
import { Waiting } from './waiting-rows.ts'
import { WithoutCells } from './without-cells.ts'
import { WorkIndex } from './work-index.ts'

export interface PartsOptions {
  readonly service: TableService
  readonly world: World
  readonly meta: LedgerMeta
  readonly leases: readonly LaneLease[]
  readonly months: readonly string[]
  readonly pollMs: number
  readonly onWritten: OnWritten
  /** A line is durable, of this process or of another. */
  readonly onLine: (line: Line) => void
  /** There may be anything in a lane. */
  readonly onUnknown: (lane: number) => void
  /** Something of somebody else is there. */
  readonly onNews: () => void
  /** The lane of somebody who is not heard of any more was taken. */
  readonly onAbandoned: (lease: LaneLease) => void
}

export type Parts = ReturnType<typeof partsOf>

/** What the ledger is made of, and how it is kept whole. */
function groundOf(options: PartsOptions) {
  const { service, world, onNews } = options
  const { timers, random, ids, logger } = world
  const engine: Engine = {
    service: new GroupedWrites(service),
    timers,
    random,
    ids,
    logger,
    time: new LedgerTime(world.clock),
    process: ids.next(),
  }
  const { onUnknown: onTaken, onAbandoned } = options
  const onLine = (line: Line) => {
    tails.add(line)
    receipts.hear(line)
    options.onLine(line)
  }
  const lanes = new Lanes({ engine, onLine, onTaken, onAbandoned })
  lanes.know(options.leases)
  const tails = new LaneTails(engine, lanes)
  const log = new MergedLog(lanes, tails)
  const months = new Months(engine)
  months.know(options.months)
  const cells = new CellStore(engine)
  const receipts = new Receipts(engine)
  const projections = new Projections(engine, months)
  const finishing = new Finishing(engine, { cells, lanes, projections, receipts })
  const settling = new Settling(engine, { cells, lanes, finishing, receipts, onTakenOver: onNews })
  return { engine, onLine, lanes, tails, log, months, cells, receipts, projections, finishing, settling }
}

export function partsOf(options: PartsOptions) {
  const { world, meta, pollMs, onWritten, onNews, onUnknown } = options
  const { timers, random } = world
  const ground = groundOf(options)
  const { engine, onLine, lanes, tails, log, months, cells, receipts, projections, finishing, settling } =
    ground
  const shards = new Shards(meta.shards)
  const numbers = new SlotNumbers({ random, timers })
  const reservations = new Reservations(engine, shards, numbers)
  const waiting = new Waiting(engine, { cells, settling })
  const committing = new Committing(engine, {
    cells,
    lanes,
    tails,
    reservations,
    settling,
    finishing,
    waiting,
  })
  const withoutCells = new WithoutCells(engine, { lanes, projections, reservations, settling, waiting })
  const memory = new RememberedCells()
  const queues = new KnownQueues(timers)
  const places = new HeldPlaces(engine, settling)
  const loading: LoadingParts = { engine, settling, shards, numbers, projections, places }
  const transacting = new Transacting({ ...loading, committing, withoutCells, memory, queues, onWritten })
  const index = new WorkIndex(engine, lanes)
  const signals = new Signals(engine, { index, settling })
  const sweeping = new Sweeping({
    ...loading,
    transacting,
    index,
    memory,
    queues,
    receipts,
    signals,
    isHeard: (lane) => following.isWanted || lanes.held(lane) !== null,
  })
  const scanning = new Scanning({ engine, cells, months, settling })
  const totals = new Totals(engine, lanes)
  const recovering = new Recovering(engine, {
    cells,
    lanes,
    places,
    projections,
    scanning,
    settling,
    shards,
    onFreed: onNews,
  })
  const retiring = new Retiring(engine, { lanes, scanning, settling, shards, totals })
  const recent = new RecentlyChanged(tails)
  const named = new NamedJobs({ scanning, shards, totals })
  const finding = new Finding({ settling, months, named, recent, scanning, totals })
  const following = new Following(log, () => news.begin())
  const isWanted = () => following.isWanted
  const news = new News({ engine, lanes, tails, pollMs, isWanted, onLine, onUnknown, onNews })
  return {
    ...ground,
    checking: new Checking({ engine, log, scanning, settling, totals }),
    claims: new Claims(engine, settling),
    loading,
    shards,
    recovering,
    retiring,
    transacting,
    sweeping,
    index,
    scanning,
    totals,
    finding,
    history: new History({ engine, cells, lanes, log, projections }),
    following,
    news,
  }
}
