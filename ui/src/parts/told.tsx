import { useNow } from '../app/now.ts'
import { usePreferences } from '../app/preferences.ts'
import { absolute, clock, msOf, type Zone } from '../format/time.ts'
import { toldTimes } from '../format/told-times.ts'

const DAY_MS = 86_400_000

/** What the server says, with the times in it as the reader has them. */
export function Told({ text }: { readonly text: string }) {
  const { zone } = usePreferences()
  const now = useNow()
  return toldTimes(text).map((part, i) =>
    'text' in part ? (
      part.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name
      <time key={i} dateTime={part.at} title={absolute(part.at, zone)}>
        {Math.abs(now - msOf(part.at)) < DAY_MS / 2 ? clock(part.at, zone) : upToMinutes(part.at, zone)}
      </time>
    ),
  )
}

function upToMinutes(at: string, zone: Zone): string {
  return absolute(at, zone).slice(0, 16)
}
