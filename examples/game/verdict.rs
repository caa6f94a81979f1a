//! The findings of the judge.

use std::fmt;

use phalanx::ColliderId;

/// A first hit: time, collider, triangle.
pub type First = (f32, ColliderId, u32);

/// Numbers of what was checked, and of what was wrong.
#[derive(Default)]
pub struct Verdict {
    pub contacts: usize,
    pub wrong_contacts: usize,
    pub searches: usize,
    pub hits: usize,
    pub wrong_hits: usize,
    pub flights: usize,
    pub tunnelled: usize,
    /// Events of triggers.
    pub events: usize,
    pub wrong_events: usize,
    /// Frames in which the player was in a wall, a pane or a door.
    pub stuck: usize,
    pub removed: usize,
    pub revived: usize,
}

impl Verdict {
    /// Compares a first hit with that of all pairs.
    pub fn hit(&mut self, found: Option<First>, first: Option<First>) {
        self.searches += 1;
        self.hits += usize::from(first.is_some());
        self.wrong_hits += usize::from(found != first);
    }

    pub fn event(&mut self, is_wrong: bool) {
        self.wrong_events += usize::from(is_wrong);
    }

    pub fn is_clean(&self) -> bool {
        let wrong = self.wrong_contacts + self.wrong_hits + self.tunnelled + self.wrong_events;
        wrong + self.stuck + self.revived == 0
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict {
            contacts,
            wrong_contacts,
            searches,
            hits,
            wrong_hits,
            flights,
            tunnelled,
            events,
            wrong_events,
            stuck,
            removed,
            revived,
        } = self;
        writeln!(
            f,
            "contacts  {wrong_contacts} missed or false, of {contacts}"
        )?;
        writeln!(
            f,
            "hits      {wrong_hits} wrong, of {hits} of {searches} bullets and rays"
        )?;
        writeln!(
            f,
            "bullets   {tunnelled} through a wall or a door, of {flights} ways"
        )?;
        writeln!(
            f,
            "triggers  {wrong_events} wrong checks, of {events} events"
        )?;
        writeln!(f, "player    {stuck} times in a wall")?;
        write!(
            f,
            "ids       {revived} answers of a removed one, of {removed} removed"
        )
    }
}
