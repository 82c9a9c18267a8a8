import type { AuditFinding } from '../../domain/rules/finding.ts';
import { person } from '../../domain/staff/staff.ts';
import { workRef } from '../../git/refs/ref-names.ts';
import type { Books } from '../audit-books.ts';
import { about } from '../audit-finding.ts';
import type { AuditPage } from '../audit-library.ts';
import { isMended } from './check-numbers.ts';

/** What people offer is kept by the queue as they offered it, and what was tried in their name is what they offered. */
export function* checkOffers(books: Books): Generator<AuditFinding> {
  if (books.snapshot.moving || isMended(books)) return; // The queue and a notebook may be out of step.
  const offers = new Map<string, AuditPage>();
  for (const page of books.queue) {
    if (!page.ours || page.event !== 'offer') continue;
    const offer = books.library.page(page.commit.parents[1]);
    if (offer?.event !== 'offer' || page.get('Cause') !== offer.id || page.get('Spec') !== offer.get('Spec')) {
      yield about(page, 'the queue does not keep what it says was offered', page.get('Cause'), offer?.title);
      continue;
    }
    offers.set(offer.id, offer);
    yield* checkOffer(books, offer);
  }
  for (const { page, tried, below } of books.verdicts) {
    const isOwn = tried !== undefined && (tried.get('Cause') ?? tried.get('Part')) === undefined;
    if (!isOwn || (tried.get('Agent') !== person && tried.get('Offer') === undefined)) continue;
    const offer = offers.get(tried.get('Offer') ?? '');
    if (offer === undefined || offer.get('Spec') !== tried.get('Spec') || tried.get('Agent') !== person) {
      yield about(tried, 'no person has offered it', `an offer for ${tried.get('Spec')}`, tried.get('Offer'));
      continue;
    }
    const base = books.library.page(offer.commit.parents[0]);
    // On a line that had moved on meanwhile it is a merge, and where nothing was measured it is the line itself.
    const isSame = base?.commit.tree === below?.commit.tree && page.get('Seconds') !== undefined;
    if (isSame && offer.commit.tree !== tried.commit.tree)
      yield about(tried, 'it is not what the person offered', offer.commit.tree, tried.commit.tree);
  }
}

/** An offer stands on a line of its spec's notebook. */
function* checkOffer(books: Books, offer: AuditPage): Generator<AuditFinding> {
  const spec = offer.get('Spec') ?? '';
  const notebook = books.notebooks.find(({ ref }) => ref === workRef(spec));
  const [base] = offer.commit.parents;
  if (offer.commit.parents.length !== 1 || !notebook?.pages.some((page) => page.id === base))
    yield about(offer, `it was not made for a line of ${spec}`, 'one commit of its notebook below it', base);
}
