// The name of a table that is downloaded.

/** Content-Disposition of a file that is called like the list that it is of (RFC 6266 §4.3), and by the part of it. */
export function tableAttachment(
  { id, name }: { readonly id: string; readonly name: string | null },
  part?: string,
  ending: 'csv' | 'xlsx' = 'csv',
): string {
  const suffix = part === undefined ? '' : `-${part}`
  const file = `${(name ?? id).replace(/\.(csv|tsv|txt|xlsx|jsonl|ndjson)$/i, '')}${suffix}.${ending}`
  // RFC 8187 §3.2.1: what encodeURIComponent leaves alone and is no attr-char.
  const encoded = encodeURIComponent(file.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${id}${suffix}.${ending}"; filename*=UTF-8''${encoded}`
}
