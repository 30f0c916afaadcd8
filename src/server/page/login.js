// Trades the code of a one-time link for a session. The code is after the hash, which browsers send to nobody.
const line = document.getElementById('line')
const code = location.hash.slice(1)
history.replaceState(null, '', '/login')

async function logIn() {
  if (code === '') {
    if ((await fetch('/v1/session')).ok) location.replace('/')
    line.textContent = 'To open the page, use the link that the server printed, or: waybill tokens link'
    return
  }
  const response = await fetch('/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  // A link that was used before is good enough for whoever came in by it.
  if (response.ok || (await fetch('/v1/session')).ok) location.replace('/')
  else line.textContent = 'This link was used before, or is too old. Make another with: waybill tokens link'
}

logIn().catch(() => {
  line.textContent = 'The server cannot be reached.'
})
