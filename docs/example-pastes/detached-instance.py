# Ran with Python 3.11.7, sqlalchemy 2.1.9.
from sqlalchemy import ForeignKey, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customers"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    orders: Mapped[list["Order"]] = relationship(back_populates="customer")


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    customer_id: Mapped[int] = mapped_column(ForeignKey("customers.id"))
    customer: Mapped[Customer] = relationship(back_populates="orders")


def load_customer(engine, customer_id: int) -> Customer:
    with Session(engine) as session:
        return session.scalars(select(Customer).where(Customer.id == customer_id)).one()


def main() -> None:
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Customer(id=7, name="Ada", orders=[Order(id=1), Order(id=2)]))
        session.commit()
    customer = load_customer(engine, 7)
    print(len(customer.orders))


main()
