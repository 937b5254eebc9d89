//! Requests of a size that the referee takes.

use std::mem;

use prost::Message;

use crate::v1;

const ITEM_OVERHEAD: usize = 4; // bytes around an item of a frame: its tag and its length, below 32 KiB
const FRAME_OVERHEAD: usize = 16; // bytes of a frame besides its items

/// Adds a request in parts of at most `limit` bytes, goodbye in the last.
pub(super) fn split(request: v1::PlayRequest, limit: usize, parts: &mut Vec<v1::PlayRequest>) {
    if request.encoded_len() + FRAME_OVERHEAD <= limit {
        parts.push(request);
        return;
    }
    let (mut part, mut size) = (v1::PlayRequest::default(), FRAME_OVERHEAD);
    let mut make_room = |part: &mut v1::PlayRequest, bytes: usize| {
        let added = bytes + ITEM_OVERHEAD;
        if size + added > limit && size > FRAME_OVERHEAD {
            parts.push(mem::take(part));
            size = FRAME_OVERHEAD;
        }
        size += added;
    };
    for ready in request.ready {
        make_room(&mut part, ready.encoded_len());
        part.ready.push(ready);
    }
    for answer in request.answers {
        make_room(&mut part, answer.encoded_len());
        part.answers.push(answer);
    }
    part.no_more_matches = request.no_more_matches;
    part.bye = request.bye;
    parts.push(part);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(cards: usize) -> v1::Answer {
        let list = v1::CardList { cards: vec![1; cards] };
        let action = v1::Action { kind: Some(v1::action::Kind::ChooseCards(list)) };
        v1::Answer { answer: Some(v1::answer::Answer::Action(action)), ..v1::Answer::default() }
    }

    #[test]
    fn no_part_is_larger_than_the_limit_and_none_is_empty() {
        let answers: Vec<_> = (0..60).map(|number| answer(100 + number)).collect();
        for limit in 500..700 {
            let bye = Some(v1::Bye {});
            let request = v1::PlayRequest { answers: answers.clone(), bye, ..v1::PlayRequest::default() };
            let mut parts = Vec::new();
            split(request, limit, &mut parts);
            for part in &mut parts {
                assert!(!part.answers.is_empty());
                part.frames_received = u64::MAX; // it is set once the parts are known
                assert!(part.encoded_len() <= limit, "{} bytes, not {limit}", part.encoded_len());
            }
            let all: Vec<_> = parts.iter().flat_map(|part| part.answers.clone()).collect();
            assert_eq!(all, answers);
            assert!(parts.iter().rev().skip(1).all(|part| part.bye.is_none()));
        }
    }
}
