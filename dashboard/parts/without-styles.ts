// HTML that is parsed but not shown.

/**
 * Renames style elements and attributes, because a document that is only parsed reports each of them to the content
 * security policy of the page.
 */
export const withoutStyles = (html: string): string =>
  html.replace(/\sstyle(?=\s*=)/gi, ' data-style').replace(/<(\/?)style\b/gi, '<$1x-style')
