// The Content-Disposition header field of a download.

/**
 * Returns the field (RFC 6266 §4.3 with RFC 8187): the filename in both forms, without characters that a file system or
 * a header would interpret.
 */
export function disposition(filename: string | null): string {
  const name = (filename ?? '').replace(/[\p{C}/\\:*?"<>|]/gu, '_').slice(-150) || 'attachment'
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/[%;]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
