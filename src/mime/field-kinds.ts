// Kinds of header fields by name, to decide where encoded-words are not allowed (RFC 2047 §5).

/**
 * Fields with any number of addresses: RFC 5322 §3.6.3 and §3.6.6, RFC 8098 §2.1, and unregistered fields of mail
 * programs.
 */
export const ADDRESS_FIELD =
  /^(?:(?:Resent-)?(?:To|Cc|Reply-To)|Disposition-Notification-To|Return-Receipt-To|X-Confirm-Reading-To|Errors-To|Mail-(?:Followup|Reply)-To)$/i

/** Fields with links (RFC 2369, RFC 8058) and fields with message IDs (RFC 5322 §3.6.4). */
export const LINK_FIELD =
  /^(?:List-(?:Unsubscribe.*|Help|Subscribe|Post|Owner|Archive)|In-Reply-To|References)$/i

/** Further fields with IDs and links: RFC 2919, RFC 5064, RFC 5536 §3.2.12, RFC 2156. */
export const ID_FIELD =
  /^(?:List-Id|Archived-At|Supersedes|Obsoletes|(?:X-)?Original-Message-ID|X-(?:In-Reply-To|References))$/i

/** Fields with a list of phrases, separated by commas (RFC 5322 §3.6.5). */
export const PHRASE_LIST_FIELD = /^Keywords$/i

/** Fields whose value has a grammar in which an encoded-word would be wrong or ignored. */
export const STRUCTURED_FIELD =
  /^(?:Content-.*|(?:Resent-)?(?:Date|Message-ID|Bcc)|Received|Return-Path|MIME-Version|DKIM-Signature|ARC-.*|Authentication-Results)$/i
