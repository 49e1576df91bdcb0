// Owner of rows: the account and the domain that every query names.

/** An account and one of its domains. */
export interface Owner {
  readonly accountId: string
  readonly domainId: string
}

/**
 * Returns the owner of the objects of a whole account, such as suppressions of every domain and webhooks of account
 * events: these objects have the ID of the account in place of the ID of a domain.
 */
export const wholeAccount = (accountId: string): Owner => ({ accountId, domainId: accountId })

/** True for the owner of the objects of a whole account. */
export const isWholeAccount = ({ accountId, domainId }: Owner): boolean => domainId === accountId
