import { z } from 'zod'
import { EVERYBODY } from '../../core/queue/record.ts'
import { toIso } from '../../core/time.ts'
import { ROLES, type Role } from '../../core/token/record.ts'
import { Forbidden } from '../../errors/http-errors.ts'
import { idSchema } from '../../ledger/envelope.ts'
import { isFor, PERMISSIONS, type Principal, permissionsOf } from '../auth/principal.ts'
import { cookieIn, sessionCookie } from '../auth/sessions.ts'
import { ok, type Route, route, type ServerParts } from '../route.ts'

const whoSchema = z
  .strictObject({
    name: z.string(),
    role: z.enum(ROLES),
    tenants: z.array(z.string()).describe('`["*"]` for all of them'),
    may: z.array(z.enum(PERMISSIONS)),
    default_tenant: z
      .string()
      .describe("Whose records one sees who names no tenant, or the first of one's own"),
    may_give: z.array(z.enum(ROLES)).describe('Roles that a link of theirs may open the page with'),
    has_admin: z.boolean().describe('The routes that steer the server are there'),
  })
  .meta({ id: 'Who' })

/** How browsers get in and out. */
export const sessionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/session',
    operation: 'openSession',
    summary: 'Trade the code of a one-time link for a session',
    needs: 'nothing',
    body: z.strictObject({ code: z.string().min(1).max(512) }),
    answers: { 200: { about: 'The session is in a cookie', schema: whoSchema } },
    handle({ server, body, address }) {
      const { cookie, session } = server.authenticator.openSession(body.code, address)
      const set = sessionCookie(cookie, session.until, server.clock.now(), isSecure(server))
      return ok(shown(session.principal, server), { 'set-cookie': set })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/session',
    operation: 'getSession',
    summary: 'Who one is here',
    needs: 'read',
    answers: { 200: { about: 'Name, role and tenants, and what one may', schema: whoSchema } },
    handle: ({ principal, server }) => ok(shown(principal, server)),
  }),
  route({
    method: 'DELETE',
    path: '/v1/session',
    operation: 'closeSession',
    summary: 'End a session',
    needs: 'read',
    answers: { 200: { about: 'The cookie is gone', schema: z.strictObject({}) } },
    handle({ server, headers }) {
      const cookie = cookieIn(headers.cookie)
      if (cookie !== null) server.authenticator.sessions.close(cookie)
      return ok({}, { 'set-cookie': sessionCookie('', 0, 0, isSecure(server)) })
    },
  }),
  route({
    method: 'POST',
    path: '/v1/links',
    operation: 'makeLink',
    summary: 'Make a link that opens the page, once',
    about: 'For oneself, or for somebody who may do less.',
    needs: 'read',
    body: z.strictObject({
      role: z.enum(ROLES).optional(),
      tenants: z.array(idSchema).min(1).max(100).optional(),
    }),
    answers: {
      201: {
        about: 'The link, and until when it is good',
        schema: z.strictObject({ url: z.string(), expires_at: z.string() }),
      },
    },
    handle({ server, body, principal }) {
      const { code, until } = server.authenticator.sessions.link(narrowed(principal, body))
      return { status: 201, body: { url: linkTo(server.url(), code), expires_at: toIso(until) } }
    },
  }),
]

function isSecure({ url }: ServerParts): boolean {
  return url().startsWith('https:')
}

/** After the hash: browsers send it to nobody, so that it is in no log. */
export function linkTo(url: string, code: string): string {
  return `${url}/login#${code}`
}

interface Narrower {
  readonly role?: Principal['role'] | undefined
  readonly tenants?: readonly string[] | undefined
}

function narrowed(principal: Principal, { role = principal.role, tenants }: Narrower): Principal {
  if (!givenBy(principal).includes(role) || tenants?.some((tenant) => !isFor(principal, tenant)) === true) {
    throw new Forbidden(
      'A link cannot open more than its maker may see',
      'Ask for the role and tenants that you have.',
    )
  }
  const isSame = tenants === undefined || tenants.includes(EVERYBODY)
  return { ...principal, role, tenants: isSame ? principal.tenants : new Set(tenants) }
}

/** Nobody gives more than they have. */
function givenBy({ role }: Principal): Role[] {
  return ROLES.slice(0, ROLES.indexOf(role) + 1)
}

function shown(principal: Principal, server: ServerParts): z.output<typeof whoSchema> {
  const { name, role, tenants } = principal
  return {
    name,
    role,
    tenants: tenants === null ? ['*'] : [...tenants],
    may: [...permissionsOf(principal)],
    default_tenant: defaultTenant(principal, server),
    may_give: givenBy(principal),
    has_admin: server.hasAdmin,
  }
}

/** Nobody is told of a tenant that is not theirs. */
function defaultTenant(principal: Principal, { ledger }: ServerParts): string {
  const { defaultTenant: usual } = ledger
  const [first = usual] = principal.tenants ?? []
  return isFor(principal, usual) ? usual : first
}
