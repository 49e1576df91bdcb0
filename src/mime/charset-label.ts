// Finds the encoding that a charset label names, in any spelling that mail programs use.

/** Encodings by the code page numbers in labels of Microsoft, IBM and DOS. */
const BY_NUMBER: Readonly<Record<string, string>> = {
  ...{
    65001: 'utf-8',
    65000: 'utf-7',
    1200: 'utf-16le',
    1201: 'utf-16be',
  },
  ...{ 874: 'windows-874', 932: 'shift_jis', 943: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5' },
  ...{ 951: 'big5', 970: 'euc-kr', 1386: 'gbk', 54936: 'gb18030', 1392: 'gb18030', 52936: 'hz-gb-2312' },
  ...{ 51932: 'euc-jp', 20932: 'euc-jp', 50220: 'iso-2022-jp', 50221: 'iso-2022-jp', 50222: 'iso-2022-jp' },
  ...{ 51936: 'gbk', 20936: 'gbk', 51949: 'euc-kr', 20949: 'euc-kr', 50225: 'iso-2022-kr' },
  ...{ 866: 'ibm866', 20866: 'koi8-r', 878: 'koi8-r', 21866: 'koi8-u', 1168: 'koi8-u' },
  ...{ 10000: 'macintosh', 10007: 'x-mac-cyrillic', 10017: 'x-mac-cyrillic', 38598: 'iso-8859-8-i' },
  ...{ 819: 'windows-1252', 912: 'iso-8859-2', 913: 'iso-8859-3', 914: 'iso-8859-4', 915: 'iso-8859-5' },
  ...{ 1089: 'iso-8859-6', 813: 'iso-8859-7', 916: 'iso-8859-8', 920: 'windows-1254', 919: 'iso-8859-10' },
  ...{ 921: 'iso-8859-13', 923: 'iso-8859-15' },
}

/** Code page numbers of ASCII. */
const ASCII_PAGES: ReadonlySet<number> = new Set([367, 20127])

/**
 * Patterns of other labels, reduced to letters and digits, with their encodings; the first pattern that matches counts.
 */
const BY_FORM: readonly (readonly [RegExp, string])[] = [
  [/utf8/, 'utf-8'],
  [/utf7/, 'utf-7'],
  [/^(?:cs)?(?:utf16|ucs2|iso10646ucs2|unicode)$/, 'utf-16'],
  [/^(?:cs)?utf16le$/, 'utf-16le'],
  [/^(?:cs)?utf16be$/, 'utf-16be'],
  [/iso2022jp|^(?:x|cs)?jis7?$|^junet$/, 'iso-2022-jp'],
  [/iso2022kr/, 'iso-2022-kr'],
  [/^(?:x|cs)?(?:shiftjis|sjis|mskanji|windows31j|pck)/, 'shift_jis'],
  [/eucjp|^ujis$|eucpkdfmtjapanese/, 'euc-jp'],
  [/euckr|ksc5601|ksx1001|^uhc$|^korean$|mskorean/, 'euc-kr'],
  [/gb18030/, 'gb18030'],
  [/^(?:x)?hz(?:gb2312)?$/, 'hz-gb-2312'],
  [/gb2312|gbk|^euccn$|^gb$|^cngb$|isoir58/, 'gbk'],
  [/big5/, 'big5'],
  [/koi8(?:u|ru)/, 'koi8-u'],
  [/koi8/, 'koi8-r'],
  [/tis620|^thai$/, 'windows-874'],
  [/^(?:x|cs)?mac(?:cyrillic|ukrain)/, 'x-mac-cyrillic'],
  [/^(?:x|cs)?mac(?:centraleurope|ce|centeuro|latin2)/, 'mac-latin2'],
  [/^(?:x|cs)?macgreek/, 'mac-greek'],
  [/^(?:x|cs)?macturkish/, 'mac-turkish'],
  [/^(?:x|cs)?macicelandic?/, 'mac-iceland'],
  [/^(?:x|cs)?mac(?:croatian)/, 'mac-croatian'],
  [/^(?:x|cs)?macroman(?:ian)?ia?n?$/, 'macintosh'],
  [/^(?:x|cs)?(?:apple)?mac(?:intosh)?(?:roman)?$/, 'macintosh'],
  [/^(?:cs)?(?:hp)?roman8$|^r8$/, 'hp-roman8'],
  [/^(?:rk|kz|strk)1048/, 'kz1048'],
  [/ptcp154|^pt154$|^cyrillicasian$/, 'ptcp154'],
  [/^(?:x)?asmo708$|^arabic$/, 'iso-8859-6'],
  [/^greek8?$|^elot928$/, 'iso-8859-7'],
  [/^hebrew$|^logical$/, 'iso-8859-8-i'],
  [/^cyrillic$/, 'iso-8859-5'],
]

/** Labels that name no particular charset. */
const NOTHING =
  /^(?:cs|x)?(?:us)?(?:ascii\d*|ansi|ansix341968|ansix341986|iso646us|iso646|646|us|usasci|[78]bit|binary|unknown(?:8bit)?|userdefined|default|none|null|undefined|auto|plain|text|charset)?$/

const ISO_8859 = /^(?:x|cs)?(?:iso)?8859(?:(1[0-6]|[1-9])(?:(?:19|20)\d\d|[ei])?)?$/
const LATIN = /^(?:cs)?(?:iso)?(?:latin|l)(\d{1,2})$/
const CODE_PAGE =
  /^(?:x|cs|ccsid|aix|dos|ms|oem|pc|ibm|microsoft|windows|win|ansi|cp|codepage|code|page){0,3}0*(\d{3,5})[a-z]?$/

/** Part number of ISO 8859 for each number of a Latin alphabet, such as 15 for Latin-9. */
const LATIN_PARTS: Readonly<Record<string, number>> = {
  ...{ 0: 15, 1: 1, 2: 2, 3: 3, 4: 4, 5: 9, 6: 10, 7: 13, 8: 14, 9: 15, 10: 16 },
}

/**
 * Maximum number of characters read from a label, because labels are untrusted input; no label of a known charset is
 * longer.
 */
const MAX_LABEL = 60

/**
 * Returns the encoding of a label: a name of the WHATWG Encoding Standard, `utf-7`, `utf-16`, `hz-gb-2312`,
 * `iso-2022-kr`, or a code page in `code-pages.ts`. Returns undefined for a label that names no encoding, and
 * for `us-ascii`.
 */
export function encodingOf(label: string): string | undefined {
  const squeezed = label
    .slice(0, MAX_LABEL)
    .toLowerCase()
    // A label such as `3Dutf-8` comes from a header that was encoded in quoted-printable.
    .replace(/^3d/, '')
    .replace(/[^a-z0-9]/g, '')
  if (NOTHING.test(squeezed)) return undefined
  const iso = ISO_8859.exec(squeezed)
  if (iso !== null) return iso8859(Number(iso[1] ?? 1))
  const latin = LATIN.exec(squeezed)?.[1]
  if (latin !== undefined) return iso8859(LATIN_PARTS[Number(latin)] ?? 1)
  const form = BY_FORM.find(([pattern]) => pattern.test(squeezed))
  if (form !== undefined) return form[1]
  const number = CODE_PAGE.exec(squeezed)?.[1]
  return number === undefined ? undefined : ofNumber(Number(number))
}

/**
 * Returns the encoding that browsers use for a part of ISO 8859; for three of the parts, browsers use a Windows code
 * page.
 */
function iso8859(part: number): string {
  if (part === 1) return 'windows-1252'
  if (part === 9) return 'windows-1254'
  if (part === 11) return 'windows-874'
  return part === 8 ? 'iso-8859-8-i' : `iso-8859-${part}`
}

function ofNumber(page: number): string | undefined {
  if (ASCII_PAGES.has(page)) return undefined
  if (page >= 1250 && page <= 1258) return `windows-${page}`
  if (page >= 28591 && page <= 28606) return iso8859(page - 28590)
  return BY_NUMBER[page] ?? `cp${page}`
}
