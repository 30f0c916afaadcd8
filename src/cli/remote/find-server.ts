import { InvalidInput } from '../../errors/input-errors.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import { DEFAULT_SETTINGS } from '../../ledger/settings.ts'
import { defaultActor } from '../default-actor.ts'
import type { GlobalOptions } from '../session.ts'
import type { RemoteLedger } from './remote-ledger.ts'

/** Nobody answers, or it is somebody else who does. */
const NOT_OURS: ReadonlySet<string> = new Set(['NO_SERVER', 'UNAUTHENTICATED', 'LOGIN_BLOCKED', 'WRONG_HOST'])

/** `--ledger http://…`: a server, wherever it is. */
export function isServerUrl(ledger: string): boolean {
  return /^https?:\/\//i.test(ledger)
}

/** The server that is named. Whoever the token is for is whom its history names. */
export async function serverAt(options: GlobalOptions, isStrict: boolean): Promise<RemoteLedger> {
  const { RemoteLedger } = await import('./remote-ledger.ts')
  const token = process.env.WAYBILL_TOKEN
  if (token === undefined || token === '') {
    const next =
      'Put a token into the variable WAYBILL_TOKEN; one is made with: waybill tokens create NAME --role ROLE'
    throw new InvalidInput('WAYBILL_TOKEN', 'A server wants a token, and there is none', next)
  }
  const url = new URL(options.ledger).origin
  return new RemoteLedger({ url, token, isStrict, actor: options.actor, tenant: options.tenant })
}

/**
 * The server that says that it has the ledger in a folder; null when there is none, when it does not answer, or when it is
 * another user's. Who acts and for whom is as if the ledger were opened here.
 */
export async function serverOf(options: GlobalOptions, isStrict: boolean): Promise<RemoteLedger | null> {
  const { readNotice } = await import('../../store/journal/journal-lock.ts')
  const { realWorld } = await import('../../world/world.ts')
  const notice = await readNotice(realWorld.disk, options.ledger)
  if (notice === null) return null
  const { RemoteLedger } = await import('./remote-ledger.ts')
  const { actor = defaultActor(), tenant = DEFAULT_SETTINGS.tenant_id } = options
  const server = new RemoteLedger({ url: notice.server, token: notice.secret, isStrict, actor, tenant })
  try {
    await server.probe()
    return server
  } catch (error) {
    await server.close()
    if (error instanceof WaybillError && NOT_OURS.has(error.code)) return null
    throw error
  }
}
