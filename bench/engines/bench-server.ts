import { startServer, type TestServer } from '../../test/postgres/server.ts'

/** As one would set up a server that has a machine to itself, and no more: commits wait for the disk. */
const FLAGS = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
  shared_preload_libraries: 'pg_stat_statements',
} as const

let server: Promise<TestServer> | null = null

/** The server of this benchmark, started when it is first needed; or the one that WAYBILL_TEST_POSTGRES names. */
export function benchServer(): Promise<TestServer> {
  const given = process.env.WAYBILL_TEST_POSTGRES
  server ??=
    given === undefined
      ? startServer({
          isDurable: true,
          flags: Object.entries(FLAGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        })
      : Promise.resolve({ url: given, stop: async () => {} } as TestServer)
  return server
}

export async function stopBenchServer(): Promise<void> {
  await (await server)?.stop()
  server = null
}
