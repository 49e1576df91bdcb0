// Metadata of a message: the sender's own values by key; the first keys can be searched.

/** Values of the sender by key. */
export type Metadata = Readonly<Record<string, string>>

/** A key and the value that a search wants. */
export type MetadataEntry = readonly [key: string, value: string]

/** Number of keys of a message that can be searched: its first keys. */
export const SEARCHABLE_KEYS = 10

/** Returns the entries of a message that can be searched. */
export const searchableMetadata = (metadata: Metadata): readonly MetadataEntry[] =>
  Object.entries(metadata).slice(0, SEARCHABLE_KEYS)

/** True if the searchable entries contain all wanted entries. */
export function hasMetadata(metadata: Metadata, wanted: readonly MetadataEntry[]): boolean {
  const entries = new Map(searchableMetadata(metadata))
  return wanted.every(([key, value]) => entries.get(key) === value)
}
