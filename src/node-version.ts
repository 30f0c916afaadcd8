/**
 * Imported first, so that an old Node is told what is wrong before it trips over something it does not know.
 * Plain on purpose: it has to run on the Node it complains about.
 */
const OLDEST_MAJOR = 24

const version = process.versions.node
if (Number.parseInt(version, 10) < OLDEST_MAJOR) {
  const error = new Error(
    `Waybill needs Node ${OLDEST_MAJOR} or newer; this is Node ${version}. Install a current Node and try again.`,
  )
  throw Object.assign(error, { code: 'NODE_TOO_OLD' })
}
