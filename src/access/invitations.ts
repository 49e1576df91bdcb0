// Invites users by mail to join an account; the invited user chooses a password.

import type { Clock } from '../lib/clock.ts'
import { newId, randomBase62 } from '../lib/ids.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { RateLimiter } from '../lib/rate-limiter.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import type { Role } from '../model/role.ts'
import { FOOTER, inMail, type SendServiceMail } from '../model/service-mail.ts'
import { type Account, findAccountByExternalId, isOnlyAccount, type User } from '../store/access/accounts.ts'
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  type Invitation,
  listInvitations,
  openAccount,
  removeInvitation,
} from '../store/access/invitations.ts'
import { type Read, reading, type Store } from '../store/database/store.ts'
import { emailProblems, formProblems } from './accounts.ts'
import { NEW_STRANGER } from './hash-queue.ts'
import { hashPassword, hashSecret } from './secrets.ts'

const VALID_MS = 7 * 86_400_000
/** Maximum number of invitation mails per account and hour, because strangers have not asked for these mails. */
const PER_ACCOUNT = { count: 50, perMs: 3_600_000 }

/** User or key that sends an invitation. */
export interface Inviter {
  /** ID of the user or the key. */
  readonly id: string
  readonly accountId: string
  readonly accountName: string
  readonly accountStatus: Account['status']
  /** Email address of the user; null for a key. */
  readonly email: string | null
  /** Role of the user; null for a key, which invites no owner. */
  readonly role: Role | null
  /** True for an operator of the installation, who may learn about logins in other accounts. */
  readonly seesAccounts: boolean
}

/** Wanted invitation. */
export interface Invite {
  readonly email: string
  readonly role: Role
  /** False if the link is not mailed, because the inviter passes the link on. */
  readonly notify?: boolean
}

/** New invitation with its link. */
export interface Invited {
  readonly invitation: Invitation
  /** Invitation link; undefined for an inviter who must not learn about logins in other accounts. */
  readonly url: string | undefined
  /** False if the inviter has to pass the link on by hand. */
  readonly mailed: boolean
}

export interface InvitationOptions {
  readonly store: Store
  readonly clock: Clock
  readonly send: SendServiceMail
  /** Returns true if the installation has a domain to send mail from. */
  readonly canSend: () => Promise<boolean>
  /** Public base URL of the dashboard, for links in mails. */
  readonly publicUrl: PublicUrl
  /** Human-readable reason why links to the dashboard only work on this machine; undefined if links work elsewhere. */
  readonly unreachable: string | undefined
}

/** Parses the email address of an invitation. Throws `validation_failed`. */
function invitedAddress(given: string): Address {
  const address = parseAddress(given.trim())
  if (isAddress(address)) return address
  throw invalidFields(emailProblems(given.trim()))
}

/** Creates, withdraws and accepts invitations. */
export class Invitations {
  readonly #options: InvitationOptions
  readonly #limiter = new RateLimiter()

  constructor(options: InvitationOptions) {
    this.#options = options
  }

  /**
   * Invites a user by mail. The result does not reveal whether the address has a login in another account; only the
   * mail to that address does. Operators, and callers of an installation with one account, also get the link, and may
   * leave the mail out. Only owners can invite owners.
   */
  async invite(by: Inviter, { email: given, role, notify = true }: Invite): Promise<Invited> {
    const { store, publicUrl } = this.#options
    const address = invitedAddress(given)
    const seesLogins = by.seesAccounts || (await reading(isOnlyAccount(store.read)))
    // The link would reveal a login in another account, because such a link cannot be accepted.
    if (!notify && !seesLogins) throw linkNotPermitted()
    await this.#requirePermission(by, role, seesLogins)
    const { invitation, token } = this.#make(by, address.email.toLowerCase(), role)
    const created = await store.write(createInvitation, { invitation, by: by.role ?? KEYS_ROLE, seesLogins })
    if (created === 'owners_only') throw ownersOnly(by)
    if (created !== 'created' && created !== 'has_login') throw addressTaken(invitation.email)
    const url = `${publicUrl.value}/invitation?token=${token}`
    const mailed = notify && (await this.#mail(by, invitation, created === 'has_login' ? undefined : url))
    return seesLogins ? { invitation, url, mailed } : { invitation, url: undefined, mailed: true }
  }

  /**
   * Creates an account and the invitation of its owner in one write, and mails the invitation; an account without an
   * owner's address gets no user. Throws `validation_failed` for an invalid address, and `conflict` for an address with
   * a login, for an external ID of another account, or if links to the dashboard only work on this machine.
   * @param operator operator who creates the account and gets the link
   */
  async openAccount(
    operator: Pick<Inviter, 'id' | 'email'>,
    account: Account,
    ownerEmail: string | undefined,
  ): Promise<Invited | undefined> {
    const { publicUrl } = this.#options
    if (ownerEmail === undefined) {
      await this.#open(account, undefined)
      return undefined
    }
    const problems = formProblems({ owner_email: ownerEmail })
    if (problems.length > 0) throw invalidFields(problems)
    const email = invitedAddress(ownerEmail).email.toLowerCase()
    const by: Inviter = {
      ...operator,
      accountId: account.id,
      accountName: account.name,
      accountStatus: 'active',
      role: 'owner',
      seesAccounts: true,
    }
    await this.#requirePermission(by, 'owner', true)
    const { invitation, token } = this.#make(by, email, 'owner')
    await this.#open(account, invitation)
    const url = `${publicUrl.value}/invitation?token=${token}`
    return { invitation, url, mailed: await this.#mail(by, invitation, url) }
  }

  async #open(account: Account, invitation: Invitation | undefined): Promise<void> {
    const { store } = this.#options
    const opened = await store.write(openAccount, { account, invitation })
    if (opened === 'taken') throw addressTaken(invitation?.email ?? '')
    if (opened === 'external_id') throw await externalIdTaken(store.read, account.external_id ?? '')
  }

  /** Throws a `Problem` if the inviter may not invite a user with this role now. */
  async #requirePermission(by: Inviter, role: Role, seesLogins: boolean): Promise<void> {
    const { clock, unreachable, canSend } = this.#options
    if (unreachable !== undefined) {
      throw new Problem(
        'conflict',
        `The link of an invitation would not work: ${unreachable}. The operator must set it to the address at which people reach the dashboard.`,
      )
    }
    if (role === 'owner' && by.role !== 'owner') throw ownersOnly(by)
    // Invitations are sent from the domain of the installation, and not by the inviter's account, so an inviter whose
    // account is suspended has to be refused here.
    if (by.accountStatus !== 'active') {
      throw new Problem(
        'account_suspended',
        'The account is suspended and cannot invite users; ask the operator.',
      )
    }
    if (!seesLogins && !(await canSend())) {
      throw new Problem(
        'conflict',
        'Invitations are sent by mail, and the installation has no verified domain to send from; ask the operator.',
      )
    }
    const taken = this.#limiter.take(by.accountId, PER_ACCOUNT, clock.now())
    if (!taken.allowed) {
      throw new Problem('rate_limit_exceeded', 'Too many invitations within an hour; try again later.', {
        retryAfter: Math.max(1, taken.resetSeconds),
      })
    }
  }

  #make(by: Inviter, email: string, role: Role): { readonly invitation: Invitation; readonly token: string } {
    const now = this.#options.clock.now()
    const token = randomBase62(43)
    const invitation: Invitation = {
      id: newId('inv', now),
      account_id: by.accountId,
      email,
      role,
      hash: hashSecret(token),
      invited_by: by.id,
      created_at: now,
      expires_at: now + VALID_MS,
    }
    return { invitation, token }
  }

  /**
   * @param url invitation link; undefined for an address with a login, because only the owner of the address may learn
   * about the login
   */
  #mail(by: Inviter, { email, role }: Invitation, url: string | undefined): Promise<boolean> {
    const account = inMail(by.accountName)
    const invited = by.email === null ? 'You are invited' : `${inMail(by.email)} invites you`
    const next =
      url === undefined
        ? `This address already has a login to Postrider, for another account, and an address can have only one login. To join ${account}, ask for an invitation to another address.`
        : `Accept within seven days:\n${url}`
    return this.#options.send({
      to: email,
      subject: `Join ${account} on Postrider`,
      text: `${invited} to ${account} on Postrider, as ${role}.\n\n${next}\n\n${FOOTER}`,
    })
  }

  list(accountId: string): Promise<Invitation[]> {
    return reading(listInvitations(this.#options.store.read, accountId))
  }

  /**
   * Withdraws an invitation; returns false if the account has no such invitation. Only owners can withdraw the
   * invitation of an owner.
   */
  async withdraw(by: Pick<Inviter, 'accountId' | 'role'>, id: string): Promise<boolean> {
    const { accountId, role } = by
    const removed = await this.#options.store.write(removeInvitation, {
      accountId,
      id,
      by: role ?? KEYS_ROLE,
    })
    if (removed === 'owners_only') throw ownersOnly(by)
    return removed === 'done'
  }

  /** Returns the invitation of a link. Throws `not_found` when the link is used, withdrawn or too old. */
  async find(token: string): Promise<Invitation & { readonly account_name: string }> {
    const { store, clock } = this.#options
    const found = await reading(findInvitation(store.read, hashSecret(token)))
    if (found === undefined || found.expires_at <= clock.now()) throw notGood()
    return found
  }

  /** Creates the invited user. Throws `not_found` for an invalid link, `conflict` if the address has a login by now. */
  async accept(given: {
    readonly token: string
    readonly name: string
    readonly password: string
  }): Promise<User> {
    const { store, clock } = this.#options
    const { name, password } = given
    const problems = formProblems({ name, password })
    if (problems.length > 0) throw invalidFields(problems)
    await this.find(given.token)
    const now = clock.now()
    const result = await store.write(acceptInvitation, {
      hash: hashSecret(given.token),
      now,
      user: {
        id: newId('usr', now),
        name: name.trim(),
        password_hash: await hashPassword(password, NEW_STRANGER),
        created_at: now,
      },
    })
    if (result.kind === 'accepted') return result.user
    if (result.kind === 'not_found') throw notGood()
    throw new Problem('conflict', 'A user with this address already exists; log in instead.')
  }
}

/** Role whose rights a key has in invitations. */
const KEYS_ROLE: Role = 'admin'

const ownersOnly = ({ role }: Pick<Inviter, 'role'>): Problem =>
  role === null
    ? new Problem(
        'session_required',
        'No key invites an owner, or withdraws the invitation of one: log in to the dashboard.',
      )
    : new Problem(
        'role_not_permitted',
        'Only an owner invites another owner, or withdraws the invitation of one.',
      )

const linkNotPermitted = (): Problem =>
  invalidFields([
    {
      path: 'notify',
      code: 'not_permitted',
      message:
        'Only the operator of the installation gets the link; leave this out, and the link goes by mail.',
    },
  ])

/** Returns the problem of an external ID that another account has. */
export async function externalIdTaken(read: Read, externalId: string): Promise<Problem> {
  const other = await reading(findAccountByExternalId(read, externalId))
  return new Problem('conflict', `Another account has the external_id ${externalId}.`, {
    errors: [{ path: 'external_id', code: 'taken', message: 'Choose another external_id.' }],
    ...(other === undefined ? {} : { existing: { account_id: other.id } }),
  })
}

const addressTaken = (email: string): Problem =>
  new Problem('conflict', `A user with the address ${email} already exists.`)

const notGood = (): Problem =>
  new Problem('not_found', 'This invitation was used, removed or has expired; ask for a new invitation.')
