-- After a restore no lease holds: whoever had one works for an arena that is gone. The fence has the epoch of the
-- database in its upper half, so that a worker from before never holds the same one as a worker from after.
UPDATE version
SET fence = CASE WHEN fence < :epoch THEN :epoch + fence ELSE fence + :step END;
UPDATE version SET lease_until = 1, attempts = attempts - 1 WHERE state = 'validating'
