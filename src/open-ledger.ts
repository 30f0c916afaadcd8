import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import type { Registry } from 'prom-client'
import type { Protocol } from './core/job/protocol.ts'
import { InvalidInput } from './errors/input-errors.ts'
import { checkCount, checkId } from './ledger/check-input.ts'
import type { Metrics, MetricsParts } from './ledger/metrics.ts'
import { OUTPUT_LIMIT_BYTES, Outputs, outputFolderOf } from './ledger/outputs.ts'
import { protocolsOf } from './ledger/protocol-file.ts'
import { redactText } from './ledger/redact.ts'
import { DEFAULT_SETTINGS, type LedgerSettings } from './ledger/settings.ts'
import { LiveLedger } from './runtime/live-ledger.ts'
import { openStore, type StoreOptions } from './store/open-store.ts'
import type { Store } from './store/store.ts'
import { realWorld, type World } from './world/world.ts'

export interface LedgerOptions extends Partial<LedgerSettings>, StoreOptions {
  /** Clock, ids, timers, dice, disk and logger; what is absent is the real one. */
  readonly world?: Partial<World> | undefined
  /** A registry of prom-client in which the ledger's metrics are to appear. */
  readonly metrics?: Registry | undefined
  /** How requests are answered, by type: protocols, or a file of JSON with a list of them. */
  readonly protocols?: readonly Protocol[] | string | undefined
  /** Where outputs go that are too large to be kept with their steps; a ledger in a folder has a place for them. */
  readonly outputFolder?: string | undefined
  /** Outputs that take about so many bytes are too large; 64 kB unless given. */
  readonly outputLimitBytes?: number | undefined
}

/**
 * Opens a ledger: a folder on this machine, made when there is none, for one process; `sqlite:./ledger.db` for several
 * processes of one machine; `postgres://…` or `azure-tables:…` for many machines; or `memory:`, which lives and ends with the
 * process.
 */
export async function openLedger(url: string, options: LedgerOptions = {}): Promise<LiveLedger> {
  const {
    world = {},
    journal,
    sqlite,
    postgres,
    azureTables,
    create,
    metrics,
    protocols,
    outputFolder,
    outputLimitBytes,
    ...given
  } = options
  const settings = settingsOf(given)
  const outside = { ...realWorld, ...withoutUndefined(world) }
  const { clock } = outside
  const began = clock.now()
  const store = await openStore(url, outside, { journal, sqlite, postgres, azureTables, create })
  try {
    const openMs = clock.now() - began
    const outputs = outputsOf(url, store, outside, options)
    const known = metrics === undefined ? {} : await metricsIn(metrics, { store, clock, openMs })
    const ledger = new LiveLedger(store, settings, outside, {
      openMs,
      outputs,
      ...known,
      ...(url === MEMORY
        ? null
        : { identity: identityOf(url, postgres?.schema ?? azureTables?.tablePrefix) }),
    })
    ledger.jobs.register(...(await protocolsOf(protocols, outside.disk)))
    return ledger
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Loaded here, as prom-client is: hardly any ledger has them. */
async function metricsIn(registry: Registry, parts: MetricsParts): Promise<Metrics> {
  return (await import('./ledger/metrics.ts')).Metrics.in(registry, parts)
}

const MEMORY = 'memory:'

/** Of where it is now; a password that is part of that cannot be told from it. Hashed when somebody wants to know. */
function identityOf(url: string, schema = ''): () => string {
  const isPlace = url.startsWith('sqlite:') || !/:\/\/|^azure-tables:/i.test(url)
  const place = isPlace ? resolve(url.replace(/^sqlite:/, '')) : url
  return () => hash('sha256', `${place}\n${schema}`, 'hex').slice(0, IDENTITY_CHARS)
}

const IDENTITY_CHARS = 24

/** A ledger in a folder keeps large outputs there; any other where it is told to, or with their steps. */
function outputsOf(url: string, store: Store, { disk }: World, options: LedgerOptions): Outputs | null {
  const { outputFolder, outputLimitBytes = OUTPUT_LIMIT_BYTES } = options
  checkCount('outputLimitBytes', outputLimitBytes)
  const folder = outputFolder ?? outputFolderOf(url, store)
  return folder === null ? null : new Outputs(disk, folder, outputLimitBytes)
}

function settingsOf(given: Partial<LedgerSettings>): LedgerSettings {
  const settings = { ...DEFAULT_SETTINGS, ...withoutUndefined(given) }
  checkId('actor', settings.actor)
  checkId('tenant_id', settings.tenant_id)
  const { inFlightLimit, tenantInFlightLimits, callbackUrl } = settings
  checkLimit('inFlightLimit', inFlightLimit)
  for (const [tenant, limit] of Object.entries(tenantInFlightLimits)) {
    checkLimit(`tenantInFlightLimits.${tenant}`, limit)
  }
  if (callbackUrl !== undefined && !URL.canParse(callbackUrl)) {
    const next = 'Give the address at which services can reach you: https://example.com/v1/callbacks.'
    throw new InvalidInput('callbackUrl', `${callbackUrl} is not a URL`, next)
  }
  const { redact } = given
  if (redact === undefined) return settings
  if (typeof redact !== 'function') {
    throw new InvalidInput('redact', 'redact must be a function', 'Give (text) => text without its secrets.')
  }
  return { ...settings, redact: (text) => redact(redactText(text)) }
}

function checkLimit(field: string, limit: number): void {
  if (checkCount(field, limit) > 0) return
  throw new InvalidInput(field, `${field} must be at least 1`, 'Leave it out for the default.')
}

/** `{ actor: process.env.USER }` with no such variable means the default, not nobody. */
function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}
