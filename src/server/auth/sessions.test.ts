import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../testing/virtual-clock.ts'
import type { Principal } from './principal.ts'
import { cookieIn, Sessions, sessionCookie } from './sessions.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const OWNER: Principal = {
  name: 'me',
  role: 'admin',
  tenants: null,
  token_id: 'abc',
  expires: null,
  speaksForOthers: false,
}

function setUp() {
  const clock = new VirtualClock(0)
  let made = 0
  return { clock, sessions: new Sessions(clock, () => `secret-${++made}`) }
}

describe('sessions of browsers', () => {
  it('a link opens one session, once', () => {
    const { sessions } = setUp()
    const { code } = sessions.link(OWNER)
    const opened = sessions.open(code)
    expect(opened?.session.principal).toBe(OWNER)
    expect(sessions.get(opened?.cookie ?? '')?.principal).toBe(OWNER)
    expect(sessions.open(code)).toBeNull()
  })

  it('a link is good for a quarter of an hour, and is used up by coming late', async () => {
    const { clock, sessions } = setUp()
    const { code: early } = sessions.link(OWNER)
    const { code: late, until } = sessions.link(OWNER)
    expect(until - clock.now()).toBe(15 * MINUTE)
    await clock.advanceBy(15 * MINUTE - 1)
    expect(sessions.open(early)).not.toBeNull()
    await clock.advanceBy(1)
    expect(sessions.open(late)).toBeNull()
  })

  it('a session ends after half a day, when it is closed, and with its token', async () => {
    const { clock, sessions } = setUp()
    const open = (principal: Principal) => sessions.open(sessions.link(principal).code)?.cookie ?? ''
    const [closed, revoked, other] = [open(OWNER), open(OWNER), open({ ...OWNER, token_id: 'other' })]
    const waiting = sessions.link(OWNER).code
    sessions.close(closed)
    expect(sessions.get(closed)).toBeNull()
    sessions.closeOf('abc')
    expect(sessions.get(revoked)).toBeNull()
    expect(sessions.open(waiting)).toBeNull()
    await clock.advanceBy(12 * HOUR - 1)
    expect(sessions.get(other)).not.toBeNull()
    await clock.advanceBy(1)
    expect(sessions.get(other)).toBeNull()
  })

  it('the cookie is for our own page only, and no script reads it', () => {
    const cookie = sessionCookie('v', 10_000, 4000, false)
    expect(cookie).toBe('waybill_session=v; Path=/; HttpOnly; SameSite=Strict; Max-Age=6')
    expect(sessionCookie('v', 10_000, 4000, true)).toBe(`${cookie}; Secure`)
    expect(sessionCookie('', 0, 4000, false)).toContain('Max-Age=0')
  })

  it.each([
    [undefined, null],
    ['', null],
    ['other=1', null],
    ['waybill_session=', null],
    ['waybill_session=a', 'a'],
    ['other=1; waybill_session=a; x=y', 'a'],
    ['waybill_session=a; waybill_session=b', null],
    ['xwaybill_session=a', null],
    ['waybill_session =a', null],
  ])('finds it in %j: %j', (header, value) => {
    expect(cookieIn(header)).toBe(value)
  })
})
