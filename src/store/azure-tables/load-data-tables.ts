import type { AzureNamedKeyCredential, TableClient } from '@azure/data-tables'
import { MissingPackage } from '../../errors/message-errors.ts'
import type { Account } from './address.ts'
import type { AzureCredential } from './azure-tables-options.ts'

/** What is needed of the SDK, which only those have to install who use this engine. */
export interface DataTables {
  readonly TableClient: typeof TableClient
  readonly AzureNamedKeyCredential: typeof AzureNamedKeyCredential
}

export async function loadDataTables(): Promise<DataTables> {
  return await import('@azure/data-tables').catch((cause) => {
    throw new MissingPackage({ what: 'The Azure tables engine', packages: ['@azure/data-tables'] }, { cause })
  })
}

/** Who asks; null where the signature in the URL says it. What was given counts more than what is found. */
export async function credentialOf(
  sdk: DataTables,
  { key, signature }: Account,
  given: AzureCredential | undefined,
): Promise<AzureCredential | null> {
  if (given !== undefined) return given
  if (key !== null) return new sdk.AzureNamedKeyCredential(key.name, key.key)
  if (signature !== null) return null
  const { DefaultAzureCredential } = await import('@azure/identity').catch((cause) => {
    const what = 'An address of Azure tables that holds neither a key nor a signature'
    throw new MissingPackage({ what, packages: ['@azure/identity'] }, { cause })
  })
  return new DefaultAzureCredential()
}
