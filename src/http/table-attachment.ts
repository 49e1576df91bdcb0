// Names the file of a downloaded table.

/**
 * Returns the Content-Disposition header (RFC 6266 §4.3) of a file that is named after its list and the downloaded part
 * of the list.
 */
export function tableAttachment(
  { id, name }: { readonly id: string; readonly name: string | null },
  part?: string,
  ending: 'csv' | 'xlsx' = 'csv',
): string {
  const suffix = part === undefined ? '' : `-${part}`
  const file = `${(name ?? id).replace(/\.(csv|tsv|txt|xlsx|jsonl|ndjson)$/i, '')}${suffix}.${ending}`
  // These characters are not allowed unencoded (RFC 8187 §3.2.1), and encodeURIComponent does not encode them.
  const encoded = encodeURIComponent(file.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${id}${suffix}.${ending}"; filename*=UTF-8''${encoded}`
}
