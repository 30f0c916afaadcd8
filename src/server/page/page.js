// Counts by state, and what happens as it happens. Everything is put in as text, never as markup.
const line = document.getElementById('line')
const events = document.getElementById('events')
const MOST_EVENTS = 200
const SOON_MS = 500

async function get(path) {
  const response = await fetch(path)
  if (response.status === 401) location.replace('/login')
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

function element(name, text, className) {
  const made = document.createElement(name)
  made.textContent = text
  if (className !== undefined) made.className = className
  return made
}

async function showCounts(tenant) {
  const { counts } = await get(`/v1/stats?tenant_id=${encodeURIComponent(tenant)}`)
  const tables = ['job', 'document', 'run'].map((kind) => {
    const table = element('table', '')
    table.append(element('caption', `${kind}s`))
    for (const [state, count] of Object.entries(counts[kind])) {
      const row = element('tr', '', count === 0 ? 'none' : undefined)
      row.append(element('th', state), element('td', String(count)))
      table.append(row)
    }
    return table
  })
  document.getElementById('counts').replaceChildren(...tables)
}

function showEvent(record) {
  const item = element('li', '')
  const time = new Date(record.timestamp * 1000).toISOString().slice(11, 19)
  const what = record.event === 'moved' ? `${record.old_state ?? 'new'} → ${record.new_state}` : record.event
  item.append(
    element('time', time),
    element('span', `${record.kind} ${record.id}`, 'id'),
    element('span', what),
  )
  item.append(element('span', record.actor, 'actor'))
  events.prepend(item)
  while (events.children.length > MOST_EVENTS) events.lastChild.remove()
}

async function start() {
  const { name, role, tenants } = await get('/v1/session')
  document.getElementById('who').textContent = `${name} (${role}), ${tenants.join(', ')}`
  const [tenant] = tenants
  await showCounts(tenant)
  let isDue = false
  const stream = new EventSource(`/v1/events?tenant_id=${encodeURIComponent(tenant)}`)
  stream.onopen = () => {
    line.textContent = 'live'
  }
  stream.onerror = () => {
    line.textContent = 'disconnected; trying again'
  }
  stream.onmessage = ({ data }) => {
    showEvent(JSON.parse(data))
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      showCounts(tenant).catch(() => {})
    }, SOON_MS)
  }
}

start().catch((error) => {
  line.textContent = String(error.message)
})
